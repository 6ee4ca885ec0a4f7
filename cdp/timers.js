// Timers where a document may run no scripts of its own (a sandboxed frame): setTimeout never
// fires there, not even in our isolated world, whose other tasks all run. Ours does.
(() => {
  if (globalThis.understudyTimers || !matchMedia('(scripting: none)').matches) return;
  const pending = globalThis.understudyTimers = new Map(); // keeps their signals alive, too
  let last = 0;
  globalThis.setTimeout = (done, ms = 0) => {
    const id = ++last, signal = AbortSignal.timeout(ms);
    pending.set(id, signal);
    signal.addEventListener('abort', () => { if (pending.delete(id)) done(); });
    return id;
  };
  globalThis.clearTimeout = id => { pending.delete(id); };
})();

// Typing's two looks at the page: what has the focus and what it should hold afterwards, and
// what it holds then. Only lengths leave this file. Runs in our isolated world, where the
// values are the elements' own, whatever the page's scripts put over them.
(() => {
  if (globalThis.understudyEditing) return;
  const SETTLE_MS = 400;
  const DEPTH = 32;
  const LINES = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'number']);
  const PICKERS = new Set(['date', 'time', 'month', 'week', 'datetime-local']);

  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return object => get.call(object);
  };
  const activeOf = getter(Document, 'activeElement');
  const activeInShadow = getter(ShadowRoot, 'activeElement');
  const shadowOf = getter(Element, 'shadowRoot');
  const tagOf = getter(Element, 'localName');

  const isFrame = element => ['iframe', 'frame'].includes(tagOf(element));
  const focused = () => {
    let element = activeOf(document);
    for (let depth = 0; element && depth < DEPTH; depth++) {
      const shadow = shadowOf(element);
      if (shadow && activeInShadow(shadow)) element = activeInShadow(shadow);
      else if (isFrame(element) && element.contentDocument) element = activeOf(element.contentDocument);
      else break;
    }
    return element;
  };

  const kindOf = element => {
    if (!element) return 'none';
    const tag = tagOf(element);
    if (isFrame(element)) return 'frame';
    if (tag === 'textarea') return 'area';
    if (tag === 'input') return LINES.has(element.type) ? 'line' :
      PICKERS.has(element.type) ? 'picker' : 'none';
    return element.isContentEditable ? 'rich' : 'none';
  };

  // The text of a rich editor, one line for each block or line break. A break that only
  // holds a block open, as browsers put at its end, gives no line of its own.
  const linesOf = host => {
    const lines = [];
    let line = '', open = false;
    const end = () => { lines.push(line); line = ''; open = false; };
    const visit = node => {
      if (node.nodeType === 3) { line += node.data; open ||= node.data !== ''; return; }
      if (node.nodeType !== 1) return;
      if (tagOf(node) === 'br') { end(); return; }
      const display = node.ownerDocument.defaultView.getComputedStyle(node).display;
      if (display === 'none') return;
      const block = node !== host && !/^(inline|contents|ruby)/.test(display);
      if (block && open) end();
      for (const child of node.childNodes) visit(child);
      if (block && open) end();
    };
    visit(host);
    if (open) end();
    return lines.join('\n');
  };
  const hostOf = element => {
    let host = element;
    while (host.parentElement?.isContentEditable) host = host.parentElement;
    return host;
  };
  // Editors keep blanks and carets in place with characters that nobody typed.
  const plain = (text, typed) => {
    if (!/[\u200b\ufeff]/.test(typed)) text = text.replace(/[\u200b\ufeff]/g, '');
    return text.replace(/\u00a0/g, ' ');
  };

  // Whether after is before with `removed` characters somewhere replaced by text.
  const spliced = (before, text, after, removed) => {
    if (after.length !== before.length - removed + text.length) return false;
    let prefix = 0;
    while (prefix < before.length && before[prefix] === after[prefix]) prefix++;
    for (let at = Math.min(prefix, before.length - removed); at >= 0; at--)
      if (after.startsWith(text, at) && before.slice(at + removed) === after.slice(at + text.length))
        return true;
    return false;
  };

  const fieldWatch = (element, text) => {
    const before = element.value, start = element.selectionStart, end = element.selectionEnd;
    const known = start !== null;
    const wanted = known ? before.slice(0, start) + text + before.slice(end) : null;
    return {
      length: () => element.value.length,
      before: before.length,
      wanted: known ? wanted.length : before.length + text.length,
      same: () => element.value === before,
      holds: () => known ? element.value === wanted
        : element.value === text || spliced(before, text, element.value, 0),
    };
  };
  const richWatch = (element, given) => {
    const host = hostOf(element), root = element.getRootNode();
    const selection = root.getSelection?.() ?? host.ownerDocument.getSelection();
    const chosen = selection.isCollapsed ? '' : plain(String(selection), given);
    const text = plain(given, given), look = () => plain(linesOf(host), given);
    const before = look(), all = chosen !== '' && chosen.trim() === before.trim();
    const removed = all ? before.length : chosen.length;
    const holds = after => spliced(before, text, after, removed) ||
      // a line feed at the end of preserved white space needs a second one to show
      after.endsWith('\n') && spliced(before, text, after.slice(0, -1), removed);
    return {
      length: () => look().length,
      before: before.length,
      wanted: before.length - removed + text.length,
      same: () => look() === before,
      holds: () => holds(look()),
    };
  };

  // Some editors catch what is typed in an element that nobody sees and draw it elsewhere.
  const isProxy = element => {
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    const clip = element.parentElement?.getBoundingClientRect();
    const clipped = clip && (clip.width < 4 || clip.height < 4) &&
      getComputedStyle(element.parentElement).overflow !== 'visible';
    return box.width < 4 || box.height < 4 || Number(style.opacity) === 0 || clipped ||
      box.right < 0 || box.bottom < 0;
  };

  const isField = element => !['none', 'frame'].includes(kindOf(element));
  // What becomes of the keys: whether any gave input, and whether the page moved the focus on to
  // another field meanwhile, as one-digit boxes do.
  const followKeys = element => {
    editing.following?.abort();
    editing.following = new AbortController();
    const keys = {heard: false, wandered: false};
    const options = {capture: true, passive: true, signal: editing.following.signal};
    const follow = (kind, note) => element.ownerDocument.defaultView.addEventListener(kind,
      event => { if (event.isTrusted) note(event.composedPath()[0]); }, options);
    follow('input', () => { keys.heard = true; });
    follow('focusin', to => { keys.wandered ||= to !== element && isField(to); });
    return keys;
  };

  const editing = globalThis.understudyEditing = {element: null, watch: null};
  // The whole text of a rich editor, as compared with what was typed into it.
  editing.contentOf = (element, typed) => plain(linesOf(hostOf(element)), typed);
  editing.begin = (text, order) => {
    const element = editing.element = focused(), kind = kindOf(element);
    editing.watch = null;
    if (order && !globalThis.understudyWalker?.hasFocus(order)) return {kind: 'elsewhere'};
    if (kind === 'frame' || kind === 'none') return {kind};
    if (element.disabled || element.readOnly) return {kind, locked: true};
    editing.watch = (kind === 'rich' ? richWatch : fieldWatch)(element, text);
    editing.keys = followKeys(element);
    return {kind, proxy: isProxy(element), secret: element.type === 'password'};
  };
  // Resolves as soon as the text is there, and after SETTLE_MS when it is not. `passed`: the
  // page passed the focus on to other fields, which may have taken the rest.
  editing.settle = () => new Promise(done => {
    const {element, watch, keys} = editing;
    if (!watch) return done({gone: true});
    const until = performance.now() + SETTLE_MS;
    const report = () => {
      editing.following.abort();
      const same = watch.same(), moved = focused() !== element;
      done({holds: watch.holds(), same, moved, passed: moved && keys.wandered && (keys.heard || !same),
        before: watch.before, wanted: watch.wanted, length: watch.length()});
    };
    const look = () => watch.holds() || performance.now() > until ? report() : setTimeout(look, 16);
    // a page may take back in its next frames what it let in first
    const late = setTimeout(look, 100);
    requestAnimationFrame(() => requestAnimationFrame(() => { clearTimeout(late); look(); }));
  });
})();

// Where input lands: what hears the trusted events of a click that is about to be sent.

Object.assign(Walker, {
  armed: null, // what listens for the next act
  landing: null, // what listens for the act in hand

  /**
   * Listen for `count` events of one of some kinds on one of `elements`; the last call counts.
   *
   * The first is meant, and `was` is its role and name.
   */
  arm(elements, was, { kinds, count }) {
    Walker.texts?.abort(); // of a fill that a dialog or a deadline cut short
    Walker.armed?.end();
    Walker.armed = new Landing(new Set(elements.filter(Boolean)), was, new Set(kinds), count);
  },

  /** Resolves with the armed landing's report when all is heard, or when `landed` is called. */
  awaitLanding() {
    Walker.landing = Walker.armed;
    Walker.armed = null;
    return Walker.landing?.report ?? null;
  },

  /**
   * Wait until what the landing set off by timers that were due has run, too; then what is
   * known of the next act's element, by its order `next`, unless that may not come.
   */
  async awaitSettled({ next }) {
    const report = await Walker.landing?.report;
    if (report) await turns();
    return report?.on ? lookAhead(next) : null;
  },

  /** End listening; what was heard. */
  landed() {
    const landing = Walker.landing;
    Walker.landing = null;
    landing?.end();
    return landing?.report ?? null;
  },
});

/**
 * Let three turns of the timers pass: the first is asked for before the page's own listeners
 * ask for theirs, the next runs after those, and the last after those that they ask for.
 */
async function turns() {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((done) => setTimeout(done));
}

// What a press becomes in the page, all of which is kept from an element that it is not for.
const GESTURE = ["mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu",
  "dblclick"];
const CLICKS = new Set(["click", "auxclick", "contextmenu"]);

const ARMED_MS = 1000; // how long a click that was looked at may take to be sent

class Landing {
  constructor(elements, was, kinds, count) {
    this.armedAt = performance.now();
    this.astray = false; // whether the press in hand is on something that it is not for
    this.kept = false; // whether a press was, and was kept from it
    this.elements = elements;
    [this.target] = elements;
    this.was = was;
    this.kinds = kinds;
    this.missing = count;
    this.heard = 0;
    this.hits = new Set();
    this.pressed = false;
    this.renamed = null;
    this.where = null;
    this.last = null;
    this.aborter = new AbortController();
    this.report = new Promise((done) => (this.finish = done));
    this.listen(count);
  }

  listen(presses) {
    const options = { capture: true, passive: true, signal: this.aborter.signal };
    const [first] = this.elements;
    const view = viewOf(first);
    // on the elements too: the window does not hear what is inside a closed shadow tree; and
    // around a frame, where something may come to lie over it
    const places = [view, ...this.elements, ...(this.kinds.has("mousemove") ? [] : around(view))];
    for (const kind of ["mousedown", ...this.kinds]) {
      for (const each of places) listen(each, kind, (event) => this.hear(event, each), options);
    }
    if ([...this.kinds].every((kind) => CLICKS.has(kind)) && isOpen(first)) this.watch(view);
    const { understudyHit } = globalThis; // it keeps what presses are on, unless told not to
    if (understudyHit && viewOf(first) === window) understudyHit.skip = presses;
  }

  /** Keep a press from what it is not for: something may have moved under the pointer. */
  watch(view) {
    this.guard = new AbortController();
    this.views = [view, ...around(view)];
    this.watchFor("pointerdown");
  }

  watchFor(kind) {
    const options = { capture: true, signal: this.guard.signal };
    for (const each of this.views) listen(each, kind, (event) => this.keep(event), options);
  }

  keep(event) {
    const isSent = Walker.landing === this || performance.now() - this.armedAt < ARMED_MS;
    if (!event.isTrusted || !isSent) return;
    if (event.type === "pointerdown") {
      this.astray = this.aborter !== null && this.isAstray(event.composedPath());
    }
    if (!this.astray) return;
    if (!this.kept) GESTURE.forEach((kind) => this.watchFor(kind));
    this.kept = true;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  isAstray(path) {
    if (path.some((node) => this.elements.has(node))) return false;
    [this.where] = path;
    return this.where.nodeType !== 1 || !this.isSuccessor(this.where);
  }

  hear(event, listener) {
    if (!event.isTrusted) return;
    const onTarget = this.elements.has(listener) ||
      event.composedPath().some((node) => this.elements.has(node));
    if (event.type === "mousedown") this.pressed ||= onTarget;
    if (this.kinds.has(event.type)) this.count(event, onTarget);
  }

  count(event, onTarget) {
    if (event !== this.last) {
      this.last = event;
      this.heard += 1;
      this.missing -= 1;
      if (!onTarget) this.where = event.composedPath()[0];
      if (this.missing <= 0) this.endSoon(onTarget);
    }
    if (!onTarget || this.hits.has(event)) return;
    this.hits.add(event);
    const now = Walker.describe(this.target);
    if (!isSame(now, this.was)) this.renamed ??= now;
  }

  /** Whether all that was heard was on the elements. */
  get on() {
    return this.heard > 0 && this.hits.size === this.heard;
  }

  // Before the page's own listeners, which may open a dialog or leave; but what happens inside
  // a closed shadow tree is heard at the element only, after them.
  endSoon(onTarget) {
    const [element] = this.elements;
    const hidden = closedRoots.has(rootOf(element).host);
    if (hidden && !onTarget) setTimeout(() => this.end());
    else queueMicrotask(() => this.end());
  }

  end() {
    if (!this.aborter) return;
    this.aborter.abort();
    this.aborter = null;
    // what else the press becomes, a second event say or the release, may be still to come
    if (this.guard) setTimeout(() => this.guard.abort(), this.astray ? ARMED_MS : 0);
    const { understudyHit } = globalThis;
    if (understudyHit) understudyHit.skip = 0;
    const { kept } = this;
    const elsewhere = (kept || (this.heard > 0 && !this.on)) && this.where?.nodeType === 1;
    const where = elsewhere ? describeCover(this.where, null) : "";
    const { heard, on, pressed, renamed } = this;
    const successor = elsewhere && this.isSuccessor(this.where);
    this.finish({ heard, on, pressed, kept, where, successor, renamed });
  }

  /**
   * Whether what heard it is in something that took the place of an element that is gone: the
   * only one of its tag with that role and name.
   */
  isSuccessor(hit) {
    if ([...this.elements].some(isConnected)) return false;
    const tag = tagOf(this.target);
    let node = hit;
    while (node && tagOf(node) !== tag) node = surrounding(node);
    if (!node) return false;
    const alike = [...allOf(rootOf(node), tag)].slice(0, ALIKE_LIMIT);
    const same = alike.filter((each) => isSame(Walker.describe(each), this.was));
    return same.length === 1 && same[0] === node;
  }
}

/** Whether the window sees what happens on an element: in no closed shadow tree. */
function isOpen(element) {
  for (let { host } = rootOf(element); host; { host } = rootOf(host)) {
    if (closedRoots.has(host)) return false;
  }
  return true;
}

const ALIKE_LIMIT = 1000;

/** The views of this process around a frame's. */
function around(view) {
  const views = [];
  for (let frame = frameOf(view); frame; frame = frameOf(views.at(-1))) views.push(viewOf(frame));
  return views;
}

const isSame = ([role, name], [otherRole, otherName]) => role === otherRole && name === otherName;

// Where an element is, and at which of its points a click would reach it.

const boxesIn = bound(Element.prototype.getClientRects);
const boxOf = bound(Element.prototype.getBoundingClientRect);
const scrollTo = bound(Element.prototype.scrollIntoView);
const listen = bound(EventTarget.prototype.addEventListener);
const atPoint = (root, x, y) =>
  (typeOf(root) === Node.DOCUMENT_NODE ? Document : ShadowRoot).prototype.elementFromPoint.call(
    root, x, y);
const viewOf = (element) => documentOf(element).defaultView;

// The middle first; then further out, because the middle may hold a link of its own.
const PARTS = [0.5, 0.25, 0.75, 0.1, 0.9, 0.02, 0.98];
const BOX_LIMIT = 20;

/** The boxes that an element fills, in its frame's viewport; its content's if it has none. */
function boxesOf(element) {
  if (tagOf(element) === "area" && isHtml(element)) return areaBoxes(element);
  const own = [...boxesIn(element)].filter(hasExtent);
  if (own.length) return own.slice(0, BOX_LIMIT);
  const boxes = [];
  for (const node of flatChildren(element)) {
    if (isText(node)) boxes.push(...textBoxes(node));
    else if (isElement(node) && isDrawn(node)) boxes.push(...boxesOf(node));
    if (boxes.length >= BOX_LIMIT) break;
  }
  return boxes;
}

const hasExtent = (box) => box.width > 0 && box.height > 0;

/** The boxes of a text, which an element with `display: contents` has none of its own around. */
function textBoxes(text) {
  const range = documentOf(text).createRange();
  range.selectNode(text);
  return [...range.getClientRects()].filter(hasExtent);
}

/** The middle of an image map's area, as a box without much extent. */
function areaBoxes(area) {
  const map = closest(area, "map");
  const name = attribute(map, "name") ?? attribute(map, "id");
  const image = [...allOf(rootOf(area), "[usemap]")].find(
    (each) => attribute(each, "usemap").replace(/^#/, "") === name);
  if (!image) return [];
  const box = boxOf(image);
  const numbers = (attribute(area, "coords") ?? "").split(",").map(Number);
  if (numbers.length < 3 || numbers.some(Number.isNaN)) return [box];
  const circle = numbers.length === 3;
  const across = circle ? [numbers[0]] : numbers.filter((_, index) => index % 2 === 0);
  const down = circle ? [numbers[1]] : numbers.filter((_, index) => index % 2 === 1);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [new DOMRect(box.x + mean(across) - 0.5, box.y + mean(down) - 0.5, 1, 1)];
}

/** The parts of an element's boxes that are inside its frame's viewport. */
function shownBoxes(element) {
  const view = viewOf(element);
  const parts = [];
  for (const box of boxesOf(element)) {
    const left = Math.max(box.left, 0);
    const top = Math.max(box.top, 0);
    const width = Math.min(box.right, view.innerWidth) - left;
    const height = Math.min(box.bottom, view.innerHeight) - top;
    if (width > 0 && height > 0) parts.push({ left, top, width, height });
  }
  return parts;
}

function* pointsOf(element) {
  for (const box of shownBoxes(element)) {
    for (const down of PARTS) {
      for (const across of PARTS) yield pointIn(box, across, down);
    }
  }
}

/** A point in a box, on a whole pixel where that is still inside. */
function pointIn(box, across, down) {
  const inside = (start, size, part) => {
    const at = Math.floor(start + size * part);
    return at >= start && size > 1 ? at : start + size * part;
  };
  return [inside(box.left, box.width, across), inside(box.top, box.height, down)];
}

/** The element's parent in the flat tree, through closed shadow trees that are known too. */
function surrounding(element) {
  const parent = flatParent(element);
  const root = parent && closedRoots.get(parent);
  if (!root || rootOf(element) === root) return parent;
  return [...allOf(root, "slot")].find((slot) => slotted(slot).includes(element)) ?? parent;
}

function surroundingClosest(element, test) {
  for (let node = surrounding(element); node; node = surrounding(node)) if (test(node)) return node;
  return null;
}

// What does something of its own when it is clicked on, inside of something else.
const TAKES_CLICKS = "a[href],button,input,select,textarea,summary,iframe,video[controls]," +
  "audio[controls],[onclick],[contenteditable]:not([contenteditable=false])";

const takesClicks = (element) =>
  matches(element, TAKES_CLICKS) || INTERACTIVE.has(explicitRole(element));

/** How what is hit belongs to the element: "own", "trap" (something inside takes it), or null. */
function belongs(hit, element) {
  let trapped = false;
  for (let node = hit; node; node = surrounding(node)) {
    if (node === element) return trapped ? "trap" : "own";
    trapped ||= takesClicks(node);
  }
  return null;
}

/** The label of the element that is hit, when a click on it works the element. */
function hitLabel(hit, element) {
  return labelsOf(element).find((label) => belongs(hit, label) === "own") ?? null;
}

/** What a click at a point of the element would work: {expected, trap}, or null. */
function receiver(hit, element) {
  const relation = belongs(hit, element);
  if (relation === "own") return { expected: element };
  if (relation === "trap") return { expected: element, trap: true };
  const label = hitLabel(hit, element);
  if (label) return { expected: label };
  return passesTo(element, hit) ? { expected: hit } : null;
}

/**
 * Whether clicks on an element go to what is hit instead, as part of that.
 *
 * Those on a plain picture or text that lets them through do; a control that lets them through,
 * or whose picture is, gets none.
 */
function passesTo(element, hit) {
  if (getComputedStyle(element).pointerEvents !== "none" || matches(hit, "html,body")) return false;
  for (let node = element; node && node !== hit; node = surrounding(node)) {
    if (takesClicks(node) || isClickable(node, attributeNames(node))) return false;
  }
  return belongs(element, hit) !== null;
}

/** Find a point where the element receives a click: {x, y, expected}, or {cover}. */
function reach(element, strict) {
  let cover = null;
  let spare = null;
  for (const [x, y] of pointsOf(element)) {
    const hit = atPoint(rootOf(element), x, y);
    const found = hit && receiver(hit, element);
    if (!found) {
      cover ??= hit;
      continue;
    }
    const top = toTop(viewOf(element), x, y);
    if (top.cover) cover ??= top.cover;
    else if (!found.trap) return { ...top, expected: found.expected };
    else if (strict) cover ??= hit;
    else spare ??= { ...top, expected: found.expected };
  }
  return spare ?? { cover };
}

/** Carry a point to the viewport of this world's own document; {cover} if a frame does not get it. */
function toTop(view, x, y) {
  for (let inner = view; inner !== window; ) {
    const frame = frameOf(inner);
    if (!frame) return { cover: null };
    [x, y] = outOf(frame, x, y);
    if (atPoint(rootOf(frame), x, y) !== frame) return { cover: atPoint(rootOf(frame), x, y) };
    inner = viewOf(frame);
  }
  return { x, y };
}

const frameOf = (view) => view.frameElement;

/** A point of a frame's viewport in the viewport around it. */
function outOf(frame, x, y) {
  const box = boxOf(frame);
  const style = getComputedStyle(frame);
  const scale = (size, natural) => (natural ? size / natural : 1);
  const across = scale(box.width, frame.offsetWidth);
  const down = scale(box.height, frame.offsetHeight);
  const left = frame.clientLeft + parseFloat(style.paddingLeft);
  const top = frame.clientTop + parseFloat(style.paddingTop);
  return [box.left + (x + left) * across, box.top + (y + top) * down];
}

const PLACES = ["center", "end", "start"];

/**
 * Find a point of the element that receives a click, scrolling it into view if need be, no
 * further than that if it is to be `near` what is in view.
 */
function place(element, strict, near = false) {
  let found = reach(element, strict);
  for (const block of near ? ["nearest", ...PLACES] : PLACES) {
    if (found.expected) break;
    const inline = near ? "nearest" : "center";
    scrollTo(element, { block, inline, behavior: "instant" });
    found = reach(element, strict);
  }
  return found;
}

/** What covers an element, for a reader: the nearest thing around the hit that has a name. */
function describeCover(hit, element) {
  if (!hit) return "";
  for (let node = hit; node && !(element && belongs(element, node)); node = surrounding(node)) {
    const role = roleOf(node);
    const name = role && nameOf(node, role);
    if (name) return shown(role, tidy(name));
  }
  const id = attribute(hit, "id");
  return `<${tagOf(hit)}${id ? ` id=${id.slice(0, SHOWN_LIMIT)}` : ""}>`;
}

Object.assign(Walker, {
  /** Carry a point of a frame of another process outward: {x, y}, or {cover}. */
  outward(frame, x, y) {
    let at = outOf(frame, x, y);
    if (atPoint(rootOf(frame), ...at) !== frame && !isInside(frame, at)) {
      scrollTo(frame, { block: "nearest", inline: "nearest", behavior: "instant" });
      at = outOf(frame, x, y);
    }
    const hit = atPoint(rootOf(frame), ...at);
    if (hit !== frame) return { cover: describeCover(hit, frame) };
    const top = toTop(viewOf(frame), ...at);
    return top.x === undefined ? { cover: describeCover(top.cover, null) } : top;
  },
});

const isInside = (element, [x, y]) => {
  const { innerWidth, innerHeight } = viewOf(element);
  return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
};

const SCROLL_MS = 1000;

/** What scrolls under a point, the innermost first, frames of this process included. */
function scrollersAt(x, y) {
  const scrollers = [];
  let hit = atPoint(document, x, y);
  while (hit && contentOfFrame(hit)) {
    const inner = contentOfFrame(hit);
    const box = boxOf(hit);
    [x, y] = [x - box.left - hit.clientLeft, y - box.top - hit.clientTop];
    scrollers.push(hit);
    hit = atPoint(inner, x, y) ?? documentElementOf(inner);
  }
  for (let node = hit; node; node = surrounding(node) ?? frameOf(viewOf(node))) scrollers.push(node);
  return scrollers;
}

const positionOf = (elements) =>
  elements.reduce(([x, y], node) => [x + node.scrollLeft, y + node.scrollTop], [0, 0]);

const twoFrames = () => new Promise((done) => {
  setTimeout(done, 100);
  requestAnimationFrame(() => requestAnimationFrame(done));
});

Object.assign(Walker, {
  /** Bring an element into view; whether it is. */
  async show({ generation, number }) {
    const element = Walker.element(generation, number);
    if (!element) return null;
    scrollTo(element, { block: "center", inline: "center", behavior: "instant" });
    await twoFrames();
    return { shown: shownBoxes(element).length > 0 };
  },

  /** Scroll the page, or the part that scrolls in its middle, to its top or bottom. */
  async scrollEnd({ end }) {
    const page = document.scrollingElement ?? documentElementOf(document);
    const all = [page, ...scrollersAt(innerWidth / 2, innerHeight / 2)];
    const scroller = all.find((each) => each.scrollHeight > each.clientHeight + 1 &&
      (each === page || /auto|scroll/.test(getComputedStyle(each).overflowY))) ?? page;
    const goal = () => (end === "top" ? 0 : scroller.scrollHeight - scroller.clientHeight);
    scroller.scrollTo({ top: goal(), behavior: "instant" });
    await twoFrames();
    return { there: Math.abs(scroller.scrollTop - goal()) <= 1 };
  },

  middle: () => [Math.floor(innerWidth / 2), Math.floor(innerHeight / 2)],

  watched: null,

  /** Remember where all that scrolls under a point is. */
  watchScroll({ x, y }) {
    const elements = scrollersAt(x, y);
    Walker.watched = { elements, start: positionOf(elements) };
    return true;
  },

  /** Wait until what scrolls has moved and come to rest; how far it moved, null if it did not. */
  async scrolled() {
    if (!Walker.watched) return null;
    const { elements, start } = Walker.watched;
    const until = performance.now() + SCROLL_MS;
    for (let last = positionOf(elements); performance.now() < until;) {
      await twoFrames();
      const now = positionOf(elements);
      const rests = now[0] === last[0] && now[1] === last[1];
      if (rests && (now[0] !== start[0] || now[1] !== start[1])) {
        return [now[0] - start[0], now[1] - start[1]];
      }
      if (rests && performance.now() > until - SCROLL_MS + 300) return null;
      last = now;
    }
    return null;
  },
});

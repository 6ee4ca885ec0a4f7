// The walk: what a person could use, as rows in depth-first order.
//
// A row is [depth, role, text] for text and [depth, role, name, number, states] for an element;
// empty states are left out. `number` names the element for the life of this world.

const NODE_LIMIT = 20000;
const DEPTH_LIMIT = 1000;

const INTERACTIVE = new Set(
  ("button link textbox searchbox combobox listbox option checkbox radio switch slider spinbutton" +
    " menuitem menuitemcheckbox menuitemradio tab treeitem frame clickable").split(" "));
const STRUCTURE = new Set(
  ("alert alertdialog article audio banner canvas cell columnheader complementary contentinfo" +
    " dialog feed figure form grid gridcell heading img list listitem log main marquee menu" +
    " menubar meter navigation progressbar radiogroup region row rowheader search status table" +
    " tablist tabpanel timer toolbar tooltip tree treegrid video").split(" "));
const ONLY_NAMED = new Set(["group", "img", "figure", "canvas"]);
const KEPT_EMPTY = new Set(["cell", "columnheader", "rowheader", "gridcell", "canvas", "video",
  "audio", "progressbar", "meter"]);
// These are kept, like what can be acted on, where a name covers all else that is in an element.
const COMPOSITE = new Set(["menu", "menubar", "tree", "grid", "treegrid", "tablist", "tabpanel",
  "dialog", "radiogroup", "toolbar", "group"]);
const ACTIVE_ONLY = new Set(["scrollbar", "separator"]); // rows of their own if they take focus
const COVERABLE = new Set(["text", "img"]);
const LEAVES = new Set(["button", "checkbox", "img", "meter", "menuitemcheckbox", "menuitemradio",
  "option", "progressbar", "radio", "slider", "switch", "textbox", "searchbox", "combobox",
  "spinbutton", "canvas", "audio", "video"]);
const INLINE_TAGS = new Set(
  ("a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span" +
    " strong sub sup time tt u var slot wbr").split(" "));

let currentWalk = null;
let numbers = 0;
const numberOf = new WeakMap();

/** Thrown when a page is larger than a snapshot may be. */
class LimitError extends Error {}

/** One walk over a document or a part of it. */
class Walk {
  constructor(interactive) {
    this.interactive = interactive;
    this.rows = [];
    this.elements = new Map(); // number -> element
    this.frames = []; // those that must be walked from their own side
    this.count = 0; // what the browser's search for "<" should find
    this.generates = false;
    this.labels = new Map();
    this.owners = new Map(); // element -> the one that aria-owns it
    this.focused = null;
    this.shownHidden = new Set();
    this.pending = [];
  }

  labelsOf(element) {
    return this.labels.get(element) ?? [];
  }

  /** Look over everything once: labels, owned elements, shadow roots, style sheets. */
  survey(root) {
    const all = allOf(root, "*");
    this.count += all.length + countAngled(root);
    this.generates ||= hasGeneratingSheet(root);
    for (const element of all) {
      const shadow = shadowOf(element);
      if (shadow) this.survey(shadow);
    }
    for (const label of allOf(root, "label")) this.addLabel(label);
    this.addOwned(root);
    for (const frame of allOf(root, "iframe,frame,object")) {
      const inner = contentOfFrame(frame);
      if (inner) this.survey(inner);
    }
  }

  addOwned(root) {
    for (const owner of allOf(root, "[aria-owns]")) {
      for (const element of ownedBy(owner)) this.own(owner, element);
    }
  }

  /** Move an element under its owner: the first one only, and never in a circle. */
  own(owner, element) {
    if (this.owners.has(element)) return;
    for (let node = owner; node; node = this.owners.get(node) ?? flatParent(node)) {
      if (node === element) return;
    }
    this.owners.set(element, owner);
  }

  addLabel(label) {
    const control = controlOf(label);
    if (!control) return;
    const known = this.labels.get(control);
    if (known) known.push(label);
    else this.labels.set(control, [label]);
  }

  /** Walk a whole document: its topmost modal dialog if one is open, all else being inert. */
  document(document, depth) {
    const top = topModal(document) ?? documentElementOf(document);
    if (top) this.visit(top, { depth, quiet: false, disabled: false, mute: false });
    this.flush(depth);
  }

  /** Walk one element and what is in it. */
  part(element) {
    if (!this.owners.size) this.addOwned(rootOf(element));
    this.visit(element, { depth: 0, quiet: false, disabled: false, mute: false });
    this.flush(0);
  }

  visit(element, place) {
    if (place.depth > DEPTH_LIMIT || ++this.nesting > DEPTH_LIMIT) {
      throw new LimitError("the document is nested too deeply");
    }
    this.enter(element, place);
    this.nesting -= 1;
  }

  nesting = 0;

  enter(element, place) {
    const names = attributeNames(element);
    if (isLeftOut(element, names)) return;
    if (names.includes("aria-disabled") && attribute(element, "aria-disabled") === "true") {
      place = { ...place, disabled: true };
    }
    const drawn = isDrawn(element);
    if (!drawn && !mayHoldDrawn(element)) return this.hiddenControl(element, place);
    const tag = tagOf(element);
    if (tag === "label") this.labelledControl(element, place);
    if (!drawn) return this.children(element, { ...place, mute: true });
    this.show(element, tag, names, place);
  }

  show(element, tag, names, place) {
    let role = roleOf(element);
    const plain = !INTERACTIVE.has(role);
    const clickable = plain && isClickable(element, names);
    if (clickable && !STRUCTURE.has(role) && !ACTIVE_ONLY.has(role)) role = "clickable";
    if (!this.keeps(role, clickable, place)) return this.pass(element, tag, role, place);
    this.flush(place.depth);
    this.emit(element, role, names, place, clickable && role !== "clickable");
  }

  /** Whether an element gets a row of its own. */
  keeps(role, clickable, place) {
    if (INTERACTIVE.has(role) || clickable) return true;
    return !this.interactive && (!place.quiet || COMPOSITE.has(role)) &&
      (STRUCTURE.has(role) || ONLY_NAMED.has(role));
  }

  /** Go through an element that has no row: its text belongs to what is around it. */
  pass(element, tag, role, place) {
    if (tag === "br") return void this.pending.push(" ");
    const apart = !INLINE_TAGS.has(tag) || isApart(element);
    if (apart) this.flush(place.depth);
    const quiet = place.quiet || (tag === "label" && controlOf(element) !== null);
    this.children(element, { ...place, quiet, mute: false });
    if (apart) this.flush(place.depth);
    if (tag === "img") this.areas(element, place.depth);
  }

  emit(element, role, names, place, clickable) {
    const name = even(shownName(element, role));
    if (name === "" && ONLY_NAMED.has(role) && !clickable) {
      return this.pass(element, tagOf(element), role, place);
    }
    const start = this.rows.length;
    const row = this.append(element, role, name, names, place, clickable);
    this.inside(element, role, row, place);
    this.close(start, row, role, element);
  }

  append(element, role, name, names, place, clickable) {
    const states = statesOf(element, role, names);
    if (place.disabled && INTERACTIVE.has(role)) states.disabled = true;
    if (clickable) states.clickable = true;
    if (element === this.focused) states.focused = true;
    addTexts(states, element, name, names);
    const shown = cut(name);
    if (shown.length < name.length) (states.cut ??= []).push("name");
    const row = [place.depth, role, shown, this.number(element)];
    if (hasAny(states)) row.push(states);
    this.push(row);
    return row;
  }

  push(row) {
    if (this.rows.push(row) > NODE_LIMIT) {
      throw new LimitError(`the page has more than ${NODE_LIMIT} nodes`);
    }
  }

  number(element) {
    let number = numberOf.get(element);
    if (number === undefined) numberOf.set(element, (number = numbers++));
    this.elements.set(number, element);
    return number;
  }

  /** Walk what is inside an element that has a row. */
  inside(element, role, row, place) {
    const depth = place.depth + 1;
    if (role === "frame") return this.frame(element, row, depth);
    if (FIELDS.has(role) && isEditableRoot(element)) return;
    if (isHtml(element) && tagOf(element) === "select" && role !== "listbox") return;
    const covered = LEAVES.has(role) || (row[2] !== "" && isNamedByContent(element, role) &&
      !hasAriaName(element));
    const disabled = place.disabled || row[4]?.disabled === true;
    this.children(element, { depth, quiet: covered || place.quiet, disabled, mute: false });
    this.flush(depth);
    this.areas(element, depth);
  }

  frame(element, row, depth) {
    const inner = contentOfFrame(element);
    if (inner) return this.document(inner, depth);
    row[4] = { ...row[4], frame: this.frames.length };
    this.frames.push(element);
  }

  /** Walk the areas of an image map. */
  areas(image, depth) {
    if (!isHtml(image) || !hasAttribute(image, "usemap")) return;
    const name = attribute(image, "usemap").replace(/^#/, "");
    for (const area of allOf(rootOf(image), "map area[href]")) {
      const map = closest(area, "map");
      if (attribute(map, "name") !== name && attribute(map, "id") !== name) continue;
      this.flush(depth);
      this.append(area, "link", even(nameOf(area, "link")), attributeNames(area),
        { depth, disabled: false }, false);
    }
  }

  /** Fold a single text into its element; drop an element that says nothing. */
  close(start, row, role, element) {
    const added = this.rows.length - start - 1;
    if (row[2] !== "") return;
    if (role === "clickable") return this.nameByContent(start, row, element);
    if (INTERACTIVE.has(role)) return;
    if (added === 0 && row.length === 4 && !KEPT_EMPTY.has(role)) {
      this.rows.pop();
      this.elements.delete(row[3]);
    } else if (added === 1 && this.rows[start + 1][1] === "text") {
      const [, , text, , states] = this.rows.pop();
      row[4] = { ...row[4], ...states, text };
    }
  }

  // A clickable may be a word or half the page. It takes its content's name, and the place of that
  // content, when there is nothing in it but text and pictures.
  nameByContent(start, row, element) {
    const inner = this.rows.slice(start + 1);
    if (!inner.every(([, role, , , states]) => COVERABLE.has(role) && !states?.clickable)) return;
    const name = even(nameOf(element, "clickable"));
    row[2] = cut(name);
    if (row[2].length < name.length) row[4] = { ...row[4], cut: ["name"] };
    this.rows.length = start + 1;
    for (const [, , , number] of inner) this.elements.delete(number);
  }

  children(element, place) {
    for (const node of flatChildren(element)) {
      if (isText(node)) this.text(node, place);
      else if (isElement(node) && !this.owners.has(node)) this.visit(node, place);
    }
    for (const node of ownedBy(element)) {
      if (this.owners.get(node) === element) this.visit(node, place);
    }
  }

  text(node, place) {
    if (!place.quiet && !place.mute && !this.interactive) this.pending.push(dataOf(node));
  }

  /** End a run of text. */
  flush(depth) {
    if (!this.pending.length) return;
    const text = even(this.pending.join(""));
    this.pending = [];
    if (text === "") return;
    const shown = cut(text);
    const row = [depth, "text", shown];
    if (shown.length < text.length) row.push(-1, { cut: ["text"] });
    this.push(row);
  }

  // A check box that a style hides behind its label, and a file field behind a button, are what a
  // person works with all the same.
  labelledControl(label, place) {
    const control = controlOf(label);
    if (control && isHideable(control) && !isRendered(control, WITH_VISIBILITY)) {
      this.flush(place.depth);
      this.showHidden(control, place);
    }
  }

  hiddenControl(element, place) {
    if (tagOf(element) === "input" && inputType(element) === "file") {
      this.showHidden(element, place);
    }
  }

  showHidden(control, place) {
    if (this.shownHidden.has(control)) return;
    this.shownHidden.add(control);
    const role = roleOf(control);
    const name = even(nameOf(control, role));
    const row = this.append(control, role, name, attributeNames(control), place, false);
    row[4] = { ...row[4], hidden: true };
  }
}

function addTexts(states, element, name, names) {
  if (names.includes("title") || names.some((each) => each.startsWith("aria-desc"))) {
    const description = cut(descriptionOf(element, name));
    if (description) states.description = description;
  }
  if (names.includes("placeholder")) {
    const placeholder = cut(even(attribute(element, "placeholder")));
    if (placeholder && placeholder !== name) states.placeholder = placeholder;
  }
}

const hasAny = (object) => {
  for (const _ in object) return true;
  return false;
};

/** Whether a person cannot reach the element, whatever its style. */
const isLeftOut = (element, names) =>
  (names.length > 0 && ((names.includes("aria-hidden") &&
    attribute(element, "aria-hidden") === "true") || names.includes("inert"))) ||
  isUnread(element);

const isHideable = (control) =>
  tagOf(control) === "input" && ["checkbox", "radio", "file"].includes(inputType(control));

const controlOf = getter(HTMLLabelElement.prototype, "control");
const documentElementOf = getter(Document.prototype, "documentElement");
const activeOf = getter(Document.prototype, "activeElement");
const ANGLED = "count(.//text()[contains(., '<')] | .//comment()[contains(., '<')])";

/** How many texts and comments hold a "<": the browser's search for it counts them too. */
function countAngled(root) {
  if (typeOf(root) === Node.DOCUMENT_NODE) {
    const top = documentElementOf(root);
    return top ? Document.prototype.evaluate.call(root, ANGLED, top, null, 1).numberValue : 0;
  }
  const texts = Document.prototype.createTreeWalker.call(
    documentOf(root), root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
  let count = 0;
  while (texts.nextNode()) count += dataOf(texts.currentNode).includes("<") ? 1 : 0;
  return count;
}

const frameDocument = getter(HTMLIFrameElement.prototype, "contentDocument");
const objectDocument = getter(HTMLObjectElement.prototype, "contentDocument");
const legacyDocument = getter(HTMLFrameElement.prototype, "contentDocument");

const FRAME_DOCUMENT = { iframe: frameDocument, frame: legacyDocument, object: objectDocument };

/** The document in a frame of the same origin and process, else null. */
const contentOfFrame = (frame) => FRAME_DOCUMENT[tagOf(frame)]?.(frame) ?? null;

/** Whether an element without an interactive role looks or says that it can be clicked. */
function isClickable(element, names) {
  const tag = tagOf(element);
  if (tag === "html" || tag === "body" || (tag === "label" && controlOf(element))) return false;
  if (names.includes("onclick") || isEditableRoot(element)) return true;
  if (names.includes("tabindex") && isHtml(element) && tabIndexOf(element) >= 0) return true;
  if (getComputedStyle(element).cursor !== "pointer") return false;
  const parent = flatParent(element);
  return !parent || getComputedStyle(parent).cursor !== "pointer";
}

/** The modal dialog on top, or null: what is under it is inert. */
function topModal(document) {
  const modals = [...allOf(document, "dialog:modal")];
  if (modals.length < 2) return modals[0] ?? null;
  return modals.find((modal) => holdsPoint(document, modal)) ?? modals.at(-1);
}

/** Whether the middle of an element is its own: inert elements are passed by. */
function holdsPoint(document, element) {
  const box = Element.prototype.getBoundingClientRect.call(element);
  const hit = Document.prototype.elementFromPoint.call(
    document, box.x + box.width / 2, box.y + box.height / 2);
  return hit !== null && Node.prototype.contains.call(element, hit);
}

/** The element that has the focus, through shadow roots and frames; null for the page itself. */
function focusedIn(document) {
  let active = activeOf(document);
  for (let root = active && shadowOf(active); root?.activeElement; root = shadowOf(active)) {
    active = root.activeElement;
  }
  const inner = active && contentOfFrame(active);
  if (inner) return focusedIn(inner) ?? active;
  return active && tagOf(active) !== "body" ? active : null;
}

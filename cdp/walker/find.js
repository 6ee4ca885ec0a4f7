// Finding: the elements that fit a locator, whatever document or shadow tree they are in.

const SEEN_LIMIT = 10;
const HELD_LIMIT = 64;
const TEST_ID = "data-testid";

Object.assign(Walker, {
  held: new Map(), // number -> element, of the last elements that were found

  /**
   * Find all that fits {by, value, name}.
   *
   * Returns {world, count, frames, total, matches, near} or {world, error}: `matches` are the first as
   * [number, role, name], `near` describes what comes close when there is none.
   */
  find({ by, value, name = null }) {
    const walk = new Walk(false);
    currentWalk = walk;
    try {
      walk.survey(document);
      const search = new Search(by, value, name);
      search.everywhere(document);
      return search.report(walk);
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "SyntaxError")) throw error;
      return { world: Walker.world, error: "selector_invalid" };
    } finally {
      currentWalk = null;
    }
  },

  /** The element of a number that a walk (of `generation`) or, without one, a search gave out. */
  element(generation, number) {
    if (generation) return Walker.node(generation, number);
    const element = Walker.held.get(number);
    return element && isConnected(element) && documentOf(element).defaultView ? element : null;
  },

  hold(element) {
    const number = numberFor(element);
    Walker.held.delete(number);
    Walker.held.set(number, element);
    if (Walker.held.size > HELD_LIMIT) Walker.held.delete(Walker.held.keys().next().value);
    return number;
  },
});

/** One search over a page. */
class Search {
  constructor(by, value, name) {
    this.by = by;
    this.value = by === "css" || by === "test_id" ? value : even(value);
    this.name = name === null ? null : even(name);
    this.found = [];
    this.near = [];
    this.frames = [];
    this.named = []; // those that a text may name without being in them
    this.fits = { role: this.hasRole, label: this.hasLabel, test_id: this.hasTestId,
      text: this.mayHaveName }[by];
  }

  everywhere(root) {
    if (this.by === "css") this.found.push(...allOf(root, this.value));
    if (this.by === "text" && typeOf(root) === Node.DOCUMENT_NODE) this.texts(root);
    for (const element of allOf(root, "*")) this.visit(element);
  }

  visit(element) {
    if (this.fits?.(element)) this.found.push(element);
    const shadow = shadowOf(element);
    if (shadow) this.everywhere(shadow);
    if (!FRAME_DOCUMENT[tagOf(element)]) return;
    const inner = contentOfFrame(element);
    if (inner) this.everywhere(inner);
    else if (tagOf(element) !== "object") this.frames.push(element);
  }

  hasRole(element) {
    if (shownRole(element, this.value) !== this.value || !isUsable(element)) return false;
    const name = even(nameOf(element, this.value));
    return this.name === null || name === this.name || this.miss(this.value, name);
  }

  hasLabel(element) {
    if (!isField(element) || !isUsable(element)) return false;
    const role = roleOf(element);
    const name = even(nameOf(element, role));
    return name === this.value || this.miss(role, name);
  }

  hasTestId(element) {
    const id = attribute(element, TEST_ID);
    return id === this.value || (id !== null && this.miss(TEST_ID, id));
  }

  mayHaveName(element) {
    if (attributeNames(element).some((name) => NAMING.has(name))) this.named.push(element);
    return false;
  }

  /** Tell first of elements that have the wanted text for a name. */
  missNamed() {
    const texts = this.near.splice(0);
    for (const element of this.named) {
      const role = isUsable(element) ? roleOf(element) : "";
      const name = even(nameOf(element, role));
      if (role && isLike(name, this.value)) this.miss(role, name);
    }
    this.near = [...this.near, ...texts].slice(0, SEEN_LIMIT);
  }

  miss(role, name) {
    if (this.near.length < SEEN_LIMIT) this.near.push(shown(role, name));
    return false;
  }

  /** Find the innermost elements whose text is the value. */
  texts(root) {
    const top = documentElementOf(root);
    if (top) new TextSearch(this).within(top);
  }

  report(walk) {
    if (!this.found.length) this.missNamed();
    const matches = this.found.slice(0, SEEN_LIMIT).map((element) => {
      const [role, name] = Walker.describe(element);
      return [Walker.hold(element), role || tagOf(element), name];
    });
    Walker.frames = this.frames;
    return {
      world: Walker.world, count: walk.count, frames: this.frames.length,
      total: this.found.length, matches, near: this.near,
    };
  }
}

/** The text of elements from the inside out; what is longer than the wanted one is given up. */
class TextSearch {
  constructor(search) {
    this.search = search;
    this.wanted = search.value;
    this.limit = this.wanted.length + 200;
  }

  /** The text in an element, null when it is too long to matter; notes a match. */
  within(element) {
    if (isUnread(element) || (!isDrawn(element) && !mayHoldDrawn(element))) return "";
    const { found, near } = this.search;
    const before = found.length + near.length;
    const text = buttonText(element) ?? this.content(element);
    if (text === null || found.length + near.length > before) return text;
    const line = even(text);
    if (line === this.wanted) found.push(element);
    else if (this.wanted && isLike(line, this.wanted)) this.search.miss("", line);
    return text;
  }

  content(element) {
    let text = "";
    let long = false;
    const shows = showsText(element);
    for (const node of flatChildren(element)) {
      if (isText(node)) text += shows ? dataOf(node) : "";
      else if (isElement(node)) {
        const inner = tagOf(node) === "br" ? " " : this.within(node);
        long ||= inner === null;
        text += inner && isApart(node) ? ` ${inner} ` : (inner ?? "");
      }
      long ||= text.length > this.limit && even(text).length > this.limit;
      if (long) text = "";
    }
    return long ? null : text;
  }
}

const NAMING = new Set(["aria-label", "aria-labelledby", "title", "alt", "placeholder"]);
const isLike = (text, wanted) => text.toLowerCase().includes(wanted.toLowerCase());

/** The text of a button whose label is an attribute. */
function buttonText(element) {
  if (tagOf(element) !== "input" || !isHtml(element)) return null;
  return ["submit", "button", "reset"].includes(inputType(element))
    ? nameOf(element, "button") : "";
}

const numberFor = (element) => {
  if (!numberOf.has(element)) numberOf.set(element, numbers++);
  return numberOf.get(element);
};

/** The role that a snapshot shows, computed in full only when it may be `wanted`. */
function shownRole(element, wanted) {
  const role = roleOf(element);
  if (wanted !== "clickable") return role;
  if (INTERACTIVE.has(role) || STRUCTURE.has(role) || ACTIVE_ONLY.has(role)) return role;
  return isClickable(element, attributeNames(element)) ? "clickable" : role;
}

/** Whether a snapshot would show the element: drawn, or a control that a label stands for. */
function isUsable(element) {
  if (isExposed(element) || (tagOf(element) === "area" && isSeen(element))) return true;
  if (tagOf(element) !== "input" || !isHtml(element)) return false;
  if (inputType(element) === "file") return true;
  return isHideable(element) && labelsOf(element).some((label) => isDrawn(label));
}

const NO_FIELDS = new Set(["hidden", "submit", "button", "reset", "image"]);

function isField(element) {
  const tag = isHtml(element) ? tagOf(element) : "";
  if (tag === "input") return !NO_FIELDS.has(inputType(element));
  if (tag === "select" || tag === "textarea" || isEditableRoot(element)) return true;
  const role = explicitRole(element);
  return role !== null && (FIELDS.has(role) || CHECKABLE.has(role) || role === "listbox" ||
    role === "slider" || role === "spinbutton");
}

const SHOWN_LIMIT = 120;
const shown = (role, name) =>
  `${role ? `${role} ` : ""}"${name.length > SHOWN_LIMIT ? `${name.slice(0, SHOWN_LIMIT)}…` : name}"`;

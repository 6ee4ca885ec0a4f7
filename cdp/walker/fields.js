// Fields: what they are, what they take, and writing into them as far as a script may.

const setInput = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
const maxLengthOf = getter(HTMLInputElement.prototype, "maxLength");
const areaMaxLengthOf = getter(HTMLTextAreaElement.prototype, "maxLength");
const selectText = bound(HTMLInputElement.prototype.select);
const selectArea = bound(HTMLTextAreaElement.prototype.select);
const dispatch = bound(EventTarget.prototype.dispatchEvent);
const focusOn = bound(HTMLElement.prototype.focus);
const SETTLE_MS = 400;
const STATE_MS = 2000; // for the state that a page keeps by itself, as after asking a server
const FILL_MS = 15_000; // as long as a fill may take

// Fields of these types have no text to type: they are set, as their pickers would.
const SET_TYPES = new Set(["date", "time", "month", "week", "datetime-local", "color", "range"]);

const ARIA_KINDS = {
  checkbox: "box", radio: "box", switch: "box", menuitemcheckbox: "box", menuitemradio: "box",
  combobox: "combobox", listbox: "listbox",
};

/** line, area, number, set, rich, box, file, select, combobox, listbox, frame, or "". */
function kindOf(element) {
  const tag = isHtml(element) ? tagOf(element) : "";
  if (tag === "input") return inputKind(element);
  if (tag === "textarea") return "area";
  if (tag === "select") return "select";
  if (tag === "iframe" || tag === "frame") return "frame";
  if (tag && isEditable(element)) return "rich";
  return ARIA_KINDS[explicitRole(element)] ?? "";
}

/** What the element is by itself, and by its role. */
const kindsOf = (element) => [kindOf(element), ARIA_KINDS[explicitRole(element)] ?? ""];

function inputKind(element) {
  const type = inputType(element);
  if (type === "checkbox" || type === "radio") return "box";
  if (type === "file" || type === "number") return type;
  if (SET_TYPES.has(type)) return "set";
  return WRITTEN.has(type) ? "line" : "";
}

function factsOf(element) {
  const facts = { kind: kindOf(element), secret: isPassword(element) };
  if (facts.kind === "file") facts.multiple = hasAttribute(element, "multiple");
  if (facts.kind === "box") facts.checked = isChecked(element);
  if (facts.kind === "box") facts.radio = /radio$/.test(roleOf(element));
  return facts;
}

function isChecked(element) {
  if (tagOf(element) === "input") return matches(element, ":checked");
  return tristate(attribute(element, "aria-checked")) ?? false;
}

/** What a field holds, as a person typed it. */
function fieldText(element, typed = "") {
  const kind = kindOf(element);
  if (kind === "rich") return understudyEditing.contentOf(element, typed);
  return kind === "area" ? areaValue(element) : inputValue(element);
}

/** Why a field cannot come to hold a text, before anything is sent; null if it may. */
function refusedText(element, text) {
  const kind = kindOf(element);
  if (kind === "line" && text.includes("\n")) return { error: "line_breaks", final: true };
  const limit = kind === "area" ? areaMaxLengthOf(element)
    : kind === "line" ? maxLengthOf(element) : -1;
  const fits = kind === "set" || kind === "number"
    ? isSameText(keptValue(element, text), text, kind)
    : limit < 0 || text.length <= limit;
  return fits ? null : { error: "mismatch", ...compared(element, text) };
}

/** What an input of the same kind makes of a value. */
function keptValue(element, text) {
  const copy = Node.prototype.cloneNode.call(element, false);
  setInput.call(copy, text);
  return inputValue(copy);
}

/** Wanted and actual text of a field, only their lengths when it is secret. */
function compared(element, wanted) {
  const actual = fieldText(element, wanted);
  if (isPassword(element)) {
    return { secret: true, wanted: [...wanted].length, actual: [...actual].length };
  }
  return { wanted: cut(wanted), actual: cut(actual) };
}

const isFocused = (element) => {
  const root = rootOf(element);
  return root.activeElement === element;
};

Object.assign(Walker, {
  /** Give the focus, the caret at the end if it was elsewhere; whether the element has it now. */
  focus({ generation, number }) {
    const element = Walker.element(generation, number);
    if (!element) return { error: "ref_stale" };
    const had = isFocused(element);
    Walker.texts?.abort();
    focusOn(element, { preventScroll: false });
    if (!had) caretToEnd(element);
    return { focused: isFocused(element) };
  },

  /** Whether an element has the focus in its tree. */
  hasFocus({ generation, number }) {
    const element = Walker.element(generation, number);
    return element !== null && isFocused(element);
  },

  /**
   * Focus a field and select all that it holds; a field that is set gets its value at once.
   *
   * `was` is the role and name that it must still have, null for any.
   */
  beginFill({ generation, number, text, was }) {
    const element = Walker.element(generation, number);
    if (!element) return { error: "ref_stale" };
    const now = Walker.describe(element);
    if (was && !isSame(now, was)) return { error: "ref_changed", was, now };
    const held = fieldText(element, text);
    Walker.textCame = null;
    focusOn(element);
    const kind = kindOf(element);
    if (kind === "set") setValue(element, text);
    else if (kind === "area") selectArea(element);
    else if (kind === "rich") viewOf(element).getSelection().selectAllChildren(element);
    else selectText(element);
    const focused = kind === "set" || isFocused(element);
    if (focused) Walker.expectText(element);
    return { kind, focused, empty: fieldText(element) === "", same: isSameText(held, text, kind) };
  },

  /**
   * Listen for the next text that arrives in an element; the last call counts.
   *
   * A page may have moved the focus by then: what would go into another field goes into none.
   */
  expectText(element) {
    Walker.texts?.abort();
    Walker.texts = new AbortController();
    Walker.text = { heard: false, strayed: false };
    const { text } = Walker;
    const options = { capture: true, once: true, signal: Walker.texts.signal };
    Walker.textCame = new Promise((came) => {
      const late = setTimeout(came, SETTLE_MS);
      const hear = () => {
        text.heard = true;
        clearTimeout(late);
        came();
      };
      listen(element, "input", hear, options);
    });
    const view = viewOf(element);
    for (const each of [view, ...around(view)]) {
      listen(each, "beforeinput", (event) => (text.strayed ||= stops(event, element)), options);
    }
  },

  /**
   * Wait until the text that `beginFill` made room for arrives, then as `filled`; null if it
   * is not heard soon. `next` is what is known then of the next act's element, by its order.
   */
  async filledThen({ next, ...order }) {
    const { textCame, text, texts } = Walker;
    if (!textCame) return null;
    await textCame;
    if (!text.heard) {
      setTimeout(() => texts.abort(), FILL_MS);
      return null;
    }
    await pause(0); // the page's own handlers, which hear it after ours
    const seen = await Walker.filled(order);
    return { ...seen, next: seen.holds ? lookAhead(next) : null };
  },

  /** Wait until a field holds a text, and a frame longer: the page may take it back. */
  async filled({ generation, number, text }) {
    const element = Walker.element(generation, number);
    if (!element) return { gone: true };
    const holds = () => isSameText(fieldText(element, text), text, kindOf(element));
    await settle(holds);
    Walker.texts?.abort();
    return { holds: holds(), kind: kindOf(element), ...Walker.text, ...compared(element, text) };
  },

  /** Whether a box is as wanted, waited for; `stated` if it says so at all. */
  async checkedNow({ generation, number, on }) {
    const element = Walker.element(generation, number);
    if (!element) return { gone: true };
    const isNative = tagOf(element) === "input";
    await settle(() => isChecked(element) === on, isNative ? SETTLE_MS : STATE_MS);
    return { checked: isChecked(element),
      stated: isNative || hasAttribute(element, "aria-checked") };
  },
});

/** Stop input that is for another field than the one that it was meant for; whether it was. */
function stops(event, element) {
  const [first] = event.composedPath();
  const isMeant = first === element || belongs(element, first) || belongs(first, element);
  if (isMeant || !event.isTrusted) return false;
  event.preventDefault();
  event.stopImmediatePropagation();
  return true;
}

// A line feed at the end of preserved white space needs a second one to show.
const isSameText = (held, text, kind) =>
  held === text || (kind === "rich" && held === `${text}\n`) ||
  (kind === "set" && held !== "" && asWritten(held) === asWritten(text));

/** What is set as its field writes it: a colour in small letters, a time with no idle seconds. */
const asWritten = (text) => text.toLowerCase().replace(/^(\d+-\d\d-\d\d)[t ]/, "$1t")
  .replace(/(\d\d:\d\d)(:00(\.0+)?)$/, "$1");

function setValue(element, text) {
  setInput.call(element, text);
  for (const kind of ["input", "change"]) {
    dispatch(element, new Event(kind, { bubbles: true, composed: true }));
  }
}

function caretToEnd(element) {
  const kind = kindOf(element);
  if (kind === "rich") {
    const selection = viewOf(element).getSelection();
    selection.selectAllChildren(element);
    if (selection.rangeCount) selection.collapseToEnd();
  } else if (kind === "area" || (kind === "line" && element.selectionStart !== null)) {
    const end = fieldText(element).length;
    element.setSelectionRange(end, end);
  }
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Wait until it holds, SETTLE_MS at most if not said otherwise.
 *
 * What a page takes back, it takes back in its handlers or in a task right after them.
 */
async function settle(holds, patience = SETTLE_MS) {
  const until = performance.now() + patience;
  await pause(0);
  await pause(0);
  while (!holds() && performance.now() < until) await pause(16);
}

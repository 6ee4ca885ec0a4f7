// Reading an element, for a command that asks for one thing of it.

const innerTextOf = getter(HTMLElement.prototype, "innerText");
const textContentOf = getter(Node.prototype, "textContent");

Object.assign(Walker, {
  /** {value} or {error}; `what` is text, value, attribute (`name`) or state. */
  read({ generation, number, what, name, was, renamed }) {
    const element = Walker.element(generation, number);
    if (!element) return { error: "ref_stale" };
    const now = was ? Walker.describe(element) : null;
    if (was && !(now[0] === was[0] && (renamed || now[1] === was[1]))) {
      return { error: "ref_changed", now };
    }
    if (what === "attribute") return { value: attribute(element, name) };
    return { value: { text: readText, value: readValue, state: readState }[what](element) };
  },

  /** Whether this world's documents show a text, in their frames and shadow trees too. */
  says({ text }) {
    const { text: all, ...rest } = Walker.pageText();
    return { found: even(all).includes(even(text)), ...rest };
  },

  /** The text that this world's documents show, and how many frames must be asked themselves. */
  pageText() {
    const walk = new Walk(false);
    walk.survey(document);
    const { text, frames } = new PageText(document);
    Walker.frames = frames;
    return { world: Walker.world, count: walk.count, text: tidy(text), frames: frames.length };
  },

  /** Bring an element into view and return the part of the top document that it fills. */
  area({ generation, number }) {
    const element = Walker.element(generation, number);
    if (!element) return null;
    if (!shownBoxes(element).length) {
      scrollTo(element, { block: "center", inline: "center", behavior: "instant" });
    }
    const box = boxOf(element);
    const [x, y] = Walker.toPage(viewOf(element), box.x, box.y);
    return { x, y, width: box.width, height: box.height };
  },

  toPage(view, x, y) {
    for (let inner = view; inner !== window; inner = viewOf(frameOf(inner))) {
      [x, y] = outOf(frameOf(inner), x, y);
    }
    return [x, y];
  },

  /** A point of a frame's viewport in that of the top document of this world. */
  moved(frame, x, y) {
    return Walker.toPage(viewOf(frame), ...outOf(frame, x, y));
  },
});

/** The text that an element shows. */
const readText = (element) =>
  (isHtml(element) ? innerTextOf(element) : textContentOf(element)) || spokenContent(element);

/** What a control holds: a text, chosen values, {length} of a password, null without one. */
function readValue(element) {
  const kind = kindOf(element);
  if (isPassword(element)) return { length: [...inputValue(element)].length };
  if (kind === "select") return [...chosenOf(element)].map((option) => optionValue(option));
  if (kind === "file") return [...filesOf(element)].map((file) => file.name);
  if (kind === "combobox" || kind === "listbox") return choiceOf(element);
  if (kind === "rich" || kind === "area") return fieldText(element);
  return tagOf(element) === "input" && isHtml(element) ? inputValue(element) : null;
}

function readState(element) {
  const state = {
    visible: isSeen(element),
    inView: shownBoxes(element).length > 0,
    enabled: !isDisabled(element),
    editable: isWritable(element),
    focused: isFocused(element),
  };
  if (kindOf(element) === "box") state.checked = isChecked(element);
  const names = attributeNames(element);
  for (const [name, value] of Object.entries(statesOf(element, roleOf(element), names))) {
    if (typeof value === "boolean" || name === "checked" || name === "pressed") state[name] = value;
  }
  delete state.disabled;
  return state;
}

/** All text that a document shows, over its frames and shadow trees. */
class PageText {
  constructor(root) {
    this.text = "";
    this.frames = [];
    this.document(root);
  }

  document(root) {
    const top = documentElementOf(root);
    if (top) this.add(top);
  }

  add(element) {
    if (isUnread(element) || (!isDrawn(element) && !mayHoldDrawn(element))) return;
    const shows = showsText(element);
    const apart = isApart(element) || tagOf(element) === "br";
    if (apart) this.text += " ";
    if (FRAME_DOCUMENT[tagOf(element)]) this.frame(element);
    for (const node of flatChildren(element)) {
      if (isText(node)) this.text += shows ? dataOf(node) : "";
      else if (isElement(node)) this.add(node);
    }
    if (apart) this.text += " ";
  }

  frame(element) {
    const inner = contentOfFrame(element);
    if (inner) this.document(inner);
    else if (tagOf(element) !== "object") this.frames.push(element);
  }
}

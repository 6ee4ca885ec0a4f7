// Native text alternatives of HTML-AAM, and the values of controls.

/** The native name: text, "" when the element must go without one, null when none is defined. */
function nativeName(element, role, traversal) {
  if (!isHtml(element)) return svgName(element);
  const labels = labelText(element, traversal);
  if (labels) return labels;
  const native = NATIVE_NAMES[tagOf(element)];
  return native ? native(element, traversal, role) : null;
}

const NATIVE_NAMES = {
  input: (element) => inputName(element),
  textarea: (element) => fieldName(element),
  select: (element) => attribute(element, "title") ?? "",
  img: (element) => attribute(element, "alt") ?? "",
  area: (element) => attribute(element, "alt") ?? "",
  fieldset: (element, traversal) => partText(element, "legend", traversal),
  figure: (element, traversal) => partText(element, "figcaption", traversal),
  table: (element, traversal) =>
    partText(element, "caption", traversal) ?? attribute(element, "summary"),
  optgroup: (element) => attribute(element, "label") ?? "",
  option: (element) => attribute(element, "label") || null,
  iframe: (element) => attribute(element, "title") ?? "",
};

const BUTTON_NAMES = { submit: "Submit", reset: "Reset", image: "Submit", file: "Choose File" };

function inputName(element) {
  const type = inputType(element);
  if (type === "button" || type === "submit" || type === "reset") {
    return attribute(element, "value") ?? attribute(element, "title") ?? BUTTON_NAMES[type] ?? "";
  }
  if (type === "image") {
    return attribute(element, "alt") || attribute(element, "value") ||
      attribute(element, "title") || BUTTON_NAMES.image;
  }
  return NOT_FIELDS.has(type) ? null : fieldName(element);
}

const NOT_FIELDS = new Set(["checkbox", "radio", "hidden"]);

const fieldName = (element) =>
  attribute(element, "title") || attribute(element, "placeholder") ||
  attribute(element, "aria-placeholder") || "";

/** The text of the labels that HTML ties to a control. */
function labelText(element, traversal) {
  const labels = labelsOf(element);
  if (!labels.length) return "";
  const parts = [];
  const seen = traversal.seen ?? new Set([element]);
  for (const label of labels) {
    const into = new Traversal(seen, true, traversal.referenced, !isDrawn(label));
    parts.push(alternative(label, "", into));
  }
  return tidy(parts.join(" "));
}

const LABELABLE = new Set(["button", "input", "meter", "output", "progress", "select", "textarea"]);

/** The control's labels in document order. */
function labelsOf(element) {
  if (!LABELABLE.has(tagOf(element)) && !tagOf(element).includes("-")) return [];
  const walk = currentWalk;
  return walk ? walk.labelsOf(element) : [...(element.labels ?? [])];
}

/** The text of the first child `tag` (legend, caption, figcaption); null without one. */
function partText(element, tag, traversal) {
  for (const child of flatChildren(element)) {
    if (isElement(child) && tagOf(child) === tag) {
      return tidy(alternative(child, "", traversal.below(element))) || null;
    }
  }
  return null;
}

function svgName(element) {
  const title = svgTitle(element);
  if (title) return title;
  return tagOf(element) === "a" ? attribute(element, "xlink:title") : null;
}

/** The text of an SVG element's title child. */
function svgTitle(element) {
  for (let node = firstChildOf(element); node; node = nextSiblingOf(node)) {
    if (isElement(node) && tagOf(node) === "title" && !isHtml(node)) return tidy(node.textContent);
  }
  return "";
}

function tooltipOf(element, role) {
  return role === "none" ? "" : (attribute(element, "title") ?? "");
}

const inputValue = getter(HTMLInputElement.prototype, "value");
const areaValue = getter(HTMLTextAreaElement.prototype, "value");
const optionsOf = getter(HTMLSelectElement.prototype, "options");
const chosenOf = getter(HTMLSelectElement.prototype, "selectedOptions");
const optionLabel = getter(HTMLOptionElement.prototype, "label");

// Once a password, always a password: a "show" button turns the field into plain text.
const passwords = new WeakSet();

/** Whether the field holds (or ever held, as far as we saw) a password. */
function isPassword(element) {
  if (tagOf(element) !== "input" || !isHtml(element)) return false;
  if (inputType(element) === "password") passwords.add(element);
  return passwords.has(element);
}

/** The text in a text field or editable region; null for a password. */
function plainValue(element) {
  if (isPassword(element)) return null;
  if (isHtml(element) && tagOf(element) === "input") return inputValue(element);
  if (isHtml(element) && tagOf(element) === "textarea") return areaValue(element);
  return spokenContent(element);
}

/** The text in an element, as a name would have it. */
const spokenContent = (element) => tidy(contentOf(element, new Traversal().below(element)));

/** The chosen options of a list, as text; of an ARIA combobox, what it shows. */
function choiceOf(element) {
  if (isHtml(element) && tagOf(element) === "select") {
    return [...chosenOf(element)].map((option) => tidy(optionLabel(option))).join(" ");
  }
  if (tagOf(element) === "input" || tagOf(element) === "textarea") return plainValue(element);
  const chosen = [...allOf(element, "[role=option][aria-selected=true]")];
  if (chosen.length) return chosen.map((option) => nameOf(option, "option")).join(" ");
  return roleOf(element) === "listbox" ? "" : plainValue(element);
}

const RANGE_VALUE = {
  meter: getter(HTMLMeterElement.prototype, "value"),
  progress: getter(HTMLProgressElement.prototype, "value"),
};

/** A range's value as it is read out: aria-valuetext, aria-valuenow or the native value. */
function rangeText(element) {
  const spoken = attribute(element, "aria-valuetext") ?? attribute(element, "aria-valuenow");
  if (spoken !== null) return spoken;
  const tag = tagOf(element);
  if (tag === "input") return inputValue(element);
  if (tag === "progress" && !hasAttribute(element, "value")) return "";
  const value = isHtml(element) ? RANGE_VALUE[tag] : undefined;
  return value ? String(value(element)) : spokenContent(element);
}

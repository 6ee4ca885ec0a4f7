// States and values: what a row says about a control besides its role and name.

const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
const SELECTABLE = new Set(["option", "tab", "treeitem", "gridcell", "row", "columnheader",
  "rowheader"]);
const FIELDS = new Set(["textbox", "searchbox", "combobox"]);
const VALUED = new Set([...FIELDS, ...RANGES]);
const TYPED = new Set(["date", "time", "month", "week", "datetime-local", "color", "file",
  "password", "email", "tel", "url"]);
const DISABLEABLE = new Set(["button", "input", "select", "textarea", "option", "optgroup",
  "fieldset"]);
const OPTIONS_LIMIT = 100;

/** The states of an element, only those that hold; `names` are its attributes' names. */
function statesOf(element, role, names) {
  const states = {};
  const tag = isHtml(element) ? tagOf(element) : "";
  if (names.some((name) => name.startsWith("aria-"))) addAria(states, element, role);
  if (tag === "input" || DISABLEABLE.has(tag)) addNative(states, element, tag, role);
  if (role === "heading") states.level = headingLevel(element, tag);
  if (tag === "summary") states.expanded = hasAttribute(parentOf(element), "open");
  if (tag === "dialog" && matches(element, ":modal")) states.modal = true;
  if (tag === "option") states.selected = matches(element, ":checked");
  if (VALUED.has(role)) addValue(states, element, role);
  return states;
}

function addAria(states, element, role) {
  const read = (name) => attribute(element, `aria-${name}`);
  const flag = (name) => read(name) === "true";
  if (CHECKABLE.has(role)) states.checked = tristate(read("checked")) ?? false;
  if (role === "button") set(states, "pressed", tristate(read("pressed")));
  if (SELECTABLE.has(role)) set(states, "selected", tristate(read("selected")));
  set(states, "expanded", tristate(read("expanded")));
  for (const name of ["disabled", "required", "readonly", "busy", "modal", "multiselectable"]) {
    if (flag(name)) states[name] = true;
  }
  for (const name of ["invalid", "current", "haspopup"]) {
    const value = read(name);
    if (value && value !== "false") states[name] = value === "true" ? true : cut(tidy(value));
  }
}

const TRISTATE = { true: true, false: false, mixed: "mixed" };
const tristate = (value) => TRISTATE[value] ?? null;

function set(states, name, value) {
  if (value !== null) states[name] = value;
}

function addNative(states, element, tag, role) {
  if (matches(element, ":disabled")) states.disabled = true;
  if (tag === "select" && hasAttribute(element, "multiple")) states.multiselectable = true;
  if (tag !== "input" && tag !== "select" && tag !== "textarea") return;
  if (hasAttribute(element, "required")) states.required = true;
  if (tag !== "select" && hasAttribute(element, "readonly") && VALUED.has(role)) {
    states.readonly = true;
  }
  if (matches(element, ":user-invalid")) states.invalid = true;
  if (tag === "input") addInput(states, element, role);
}

function addInput(states, element, role) {
  const type = inputType(element);
  if (TYPED.has(type)) states.type = type;
  if (type === "color") states.value = inputValue(element);
  if (type === "file") states.value = cut(fileNames(element));
  if ((type === "checkbox" || type === "radio") && CHECKABLE.has(role)) {
    states.checked = matches(element, ":indeterminate") && type === "checkbox" ? "mixed"
      : matches(element, ":checked");
  }
}

const filesOf = getter(HTMLInputElement.prototype, "files");
const fileNames = (element) => [...filesOf(element)].map((file) => file.name).join(", ");

function headingLevel(element, tag) {
  const written = Number(attribute(element, "aria-level"));
  if (Number.isInteger(written) && written > 0) return written;
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
}

function addValue(states, element, role) {
  if (isPassword(element)) {
    states.length = [...inputValue(element)].length;
    return;
  }
  const value = RANGES.has(role) ? rangeText(element)
    : role === "combobox" ? choiceOf(element) : plainValue(element);
  if (value) set(states, "value", cut(value));
  if (value && states.value.length < value.length) states.cut = ["value"];
  if (tagOf(element) === "select" && isHtml(element)) addOptions(states, element);
}

/** The labels of a drop-down's options: they are chosen by value, not clicked. */
function addOptions(states, element) {
  const options = optionsOf(element);
  const shown = [...options].slice(0, OPTIONS_LIMIT);
  states.options = shown.map((option) => cut(tidy(optionLabel(option))));
  if (options.length > OPTIONS_LIMIT) states.more = options.length - OPTIONS_LIMIT;
}

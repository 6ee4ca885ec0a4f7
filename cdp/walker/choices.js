// Lists: their options, and choosing some.

const setSelected = Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, "selected").set;
const selectedOf = getter(HTMLOptionElement.prototype, "selected");
const optionValue = getter(HTMLOptionElement.prototype, "value");

const labelOf = (option) => even(optionLabel(option));
const nameOfOption = (option) => even(nameOf(option, "option"));
const isOff = (option) => matches(option, ":disabled") || closest(option, "optgroup:disabled") !== null;

/** The options that a choice names, one for each of its parts; null for one that is not there. */
function chosenBy(list, { labels = [], values = [], indexes = [] }) {
  const options = [...optionsOf(list)];
  // of several that fit, one that can be chosen
  const pick = (fits) => options.find((each) => fits(each) && !isOff(each)) ??
    options.find(fits) ?? null;
  return [
    ...labels.map((label) => pick((option) => labelOf(option) === even(label))),
    ...values.map((value) => pick((option) => optionValue(option) === value)),
    ...indexes.map((index) => options[index] ?? null),
  ];
}

/** Why a choice cannot be made in a list; null if it can. */
function refusedChoice(list, choice) {
  const chosen = chosenBy(list, choice);
  if (chosen.includes(null)) return { error: "no_option", seen: describeOptions(list) };
  if (chosen.some(isOff)) return { error: "option_disabled" };
  return chosen.length > 1 && !hasAttribute(list, "multiple")
    ? { error: "single", final: true } : null;
}

const describeOptions = (list) => [...optionsOf(list)].slice(0, SEEN_LIMIT)
  .map((option) => `${shown("", labelOf(option))} value ${shown("", optionValue(option))}`);

// The box that is being opened, and lists that are not its own.
let foreign = { box: null, lists: new Set() };

Object.assign(Walker, {
  /** Choose exactly these options; events as a person's choice gives them, if anything changes. */
  choose({ generation, number, choice }) {
    const list = Walker.element(generation, number);
    if (!list) return { error: "ref_stale" };
    const refused = refusedChoice(list, choice);
    if (refused) return refused;
    const chosen = new Set(chosenBy(list, choice));
    const options = [...optionsOf(list)];
    focusOn(list);
    if (options.every((option) => selectedOf(option) === chosen.has(option))) return {};
    for (const option of options) setSelected.call(option, chosen.has(option));
    for (const kind of ["input", "change"]) {
      dispatch(list, new Event(kind, { bubbles: true, composed: kind === "input" }));
    }
    return {};
  },

  /** Wait until exactly these are chosen. */
  async chosen({ generation, number, choice }) {
    const list = Walker.element(generation, number);
    if (!list) return { gone: true };
    const holds = () => {
      const wanted = new Set(chosenBy(list, choice));
      return !wanted.has(null) &&
        [...optionsOf(list)].every((option) => selectedOf(option) === wanted.has(option));
    };
    await settle(holds);
    return { holds: holds(), actual: cut([...chosenOf(list)].map(labelOf).join(", ")) };
  },

  /** The option of an open ARIA list whose name is `label`: its number, or what is there. */
  optionNamed({ generation, number, label }) {
    const box = Walker.element(generation, number);
    if (!box) return { error: "ref_stale" };
    const options = openOptions(box);
    const fits = options.filter((option) => nameOfOption(option) === even(label));
    const seen = options.slice(0, SEEN_LIMIT).map((option) => shown("", nameOfOption(option)));
    return fits.length ? { number: Walker.hold(fits[0]) } : { seen };
  },

  /** Take down which lists are shown before a box is opened; whether it is open already. */
  beginChoice({ generation, number }) {
    const box = Walker.element(generation, number);
    if (!box) return false;
    const wasOpen = attribute(box, "aria-expanded") === "true";
    const lists = new Set(optionsAround(box).map(listOf));
    // one that is open already may have any list of these that is nobody else's
    const isOther = (list) => !wasOpen || isTabbable(list) || isClaimed(list, box);
    foreign = { box, lists: new Set([...lists].filter(isOther)) };
    return wasOpen;
  },

  /** Whether an ARIA list says that a label is chosen, or its box shows it. */
  async showsChoice({ generation, number, label }) {
    const box = Walker.element(generation, number);
    if (!box) return { gone: true };
    const wanted = even(label);
    const holds = () => shownChoices(box).includes(wanted);
    await settle(holds);
    return { holds: holds(), actual: cut(shownChoices(box)[0] ?? "") };
  },
});

/**
 * The drawn options of the list that belongs to a box.
 *
 * That is the one in it or that it names; a box that names none has the one that its active
 * option is in, or that was not shown before it was opened.
 */
function openOptions(box) {
  const named = [...namedBy(box), ...activeLists(box)];
  const own = optionsIn([box, ...named]);
  if (own.length || named.length || kindOf(box) === "listbox") return own;
  const around = optionsAround(box);
  const lists = new Set(around.map(listOf));
  const others = foreign.box === box ? foreign.lists : new Set();
  for (const list of others) {
    if (!lists.has(list)) others.delete(list); // should it show again, it is a new one
  }
  return around.filter((option) => !others.has(listOf(option)));
}

const optionsIn = (lists) => [...new Set(
  lists.flatMap((list) => [...allOf(list, "[role=option]")]))].filter(isDrawn);

/** What a box, or a field in it, says it controls or owns. */
const namedBy = (box) => [box, ...allOf(box, "[aria-controls],[aria-owns]")].flatMap(
  (each) => [...referredBy(each, "aria-controls"), ...referredBy(each, "aria-owns")]);

/** The list that the box's active option is in. */
const activeLists = (box) => referredBy(box, "aria-activedescendant")
  .filter((each) => explicitRole(each) === "option").map(listOf);

/** All drawn options of the box's tree and of those that it is in. */
function optionsAround(box) {
  const roots = [];
  for (let host = box; host; host = hostOf(roots.at(-1))) roots.push(rootOf(host));
  return optionsIn(roots);
}

const hostOf = (root) => (typeOf(root) === Node.DOCUMENT_FRAGMENT_NODE ? root.host : null);

/** The list of an option: its listbox, else what it is right in. */
const listOf = (option) => closest(option, "[role=listbox]") ?? parentOf(option);

/** Whether the keyboard reaches a list by itself, as it does not that of a box. */
const isTabbable = (list) => [list, ...allOf(list, "[role=option]")].some(
  (each) => isElement(each) && hasAttribute(each, "tabindex") && tabIndexOf(each) >= 0);

/** Whether another element says that it controls or owns a list. */
const isClaimed = (list, box) =>
  [...allOf(rootOf(list), "[aria-controls],[aria-owns]")].some(
    (each) => each !== box && namedBy(each).includes(list));

function shownChoices(box) {
  const selected = openOptions(box).filter(
    (option) => attribute(option, "aria-selected") === "true" ||
      attribute(option, "aria-checked") === "true");
  return [even(choiceOf(box) ?? ""), ...selected.map(nameOfOption)];
}

// Lists: their options, and choosing some.

const setSelected = Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, "selected").set;
const selectedOf = getter(HTMLOptionElement.prototype, "selected");
const optionValue = getter(HTMLOptionElement.prototype, "value");

const labelOf = (option) => tidy(optionLabel(option));
const isOff = (option) => matches(option, ":disabled") || closest(option, "optgroup:disabled") !== null;

/** The options that a choice names, one for each of its parts; null for one that is not there. */
function chosenBy(list, { labels = [], values = [], indexes = [] }) {
  const options = [...optionsOf(list)];
  // of several that fit, one that can be chosen
  const pick = (fits) => options.find((each) => fits(each) && !isOff(each)) ??
    options.find(fits) ?? null;
  return [
    ...labels.map((label) => pick((option) => labelOf(option) === tidy(label))),
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
    const fits = options.filter((option) => nameOf(option, "option") === tidy(label));
    const seen = options.slice(0, SEEN_LIMIT).map((option) => shown("", nameOf(option, "option")));
    return fits.length ? { number: Walker.hold(fits[0]) } : { seen };
  },

  isExpanded({ generation, number }) {
    const box = Walker.element(generation, number);
    return box !== null && attribute(box, "aria-expanded") === "true";
  },

  /** Whether an ARIA list says that a label is chosen, or its box shows it. */
  async showsChoice({ generation, number, label }) {
    const box = Walker.element(generation, number);
    if (!box) return { gone: true };
    const wanted = tidy(label);
    const holds = () => shownChoices(box).includes(wanted);
    await settle(holds);
    return { holds: holds(), actual: cut(shownChoices(box)[0] ?? "") };
  },
});

/** The drawn options of the list that belongs to a box: the one it names, else any in its tree. */
function openOptions(box) {
  const lists = [box, ...referredBy(box, "aria-controls"), ...referredBy(box, "aria-owns")];
  const within = lists.flatMap((list) => [...allOf(list, "[role=option]")]).filter(isDrawn);
  return within.length ? within : [...allOf(rootOf(box), "[role=option]")].filter(isDrawn);
}

function shownChoices(box) {
  const selected = openOptions(box).filter(
    (option) => attribute(option, "aria-selected") === "true" ||
      attribute(option, "aria-checked") === "true");
  return [choiceOf(box) ?? "", ...selected.map((option) => nameOf(option, "option"))].map(tidy);
}

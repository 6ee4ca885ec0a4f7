// Whether an element can be acted on now: attached, what the snapshot said, drawn, at rest,
// enabled, editable, and what a click on it would reach.

const LOOK_MS = 50;

// These are not waited for as long as the rest: they seldom end by themselves.
const BRIEF_MS = 1000;
const BRIEF = new Set(["covered", "not_editable", "no_option", "option_disabled", "mismatch"]);

Object.assign(Walker, {
  /**
   * Wait until an element is ready, `patience` milliseconds at most.
   *
   * `order` is {generation, number, was, renamed, needs, patience, arm, kinds, text, choice, near};
   * `needs` names the checks, `arm` what to listen for once it is ready. Resolves to
   * {error, …} or what is known of the element, {x, y} in this world's viewport if it was to
   * be reached.
   */
  async ready(order) {
    const started = performance.now();
    for (;;) {
      const verdict = new Readiness(order).look();
      const waited = performance.now() - started;
      const patience = BRIEF.has(verdict.error) ? Math.min(order.patience, BRIEF_MS)
        : order.patience;
      if (!verdict.error || verdict.final || waited >= patience) return verdict;
      await nextLook(verdict);
    }
  },
});

Object.assign(Walker, {
  /** Whether an element is reached where it was, at `x` and `y`; nothing is scrolled for it. */
  stays({ generation, number, x, y }) {
    const readiness = new Readiness({ generation, number, needs: [] });
    if (!readiness.element) return false;
    const surface = readiness.surface();
    const found = reach(surface, surface !== readiness.element);
    return Boolean(found.expected) && found.x === x && found.y === y;
  },
});

/**
 * One look, as `ready`, for the act that comes next; null for no order.
 *
 * One that breaks is none: the next act then looks for itself, and says what is wrong.
 */
function lookAhead(order) {
  try {
    return order ? new Readiness(order).look() : null;
  } catch {
    return null;
  }
}

/** Wait for a frame when something moves, else a little longer. */
const nextLook = (verdict) => new Promise((done) => {
  setTimeout(done, LOOK_MS);
  if (verdict.error === "not_stable") requestAnimationFrame(done);
});

/** One look at an element. */
class Readiness {
  constructor(order) {
    this.order = order;
    this.needs = new Set(order.needs);
    this.element = Walker.element(order.generation, order.number);
  }

  look() {
    const { element, order } = this;
    if (!element) return { error: "ref_stale", final: true };
    const [role, name] = Walker.describe(element);
    if (order.was && !(role === order.was[0] && (order.renamed || name === order.was[1]))) {
      return { error: "ref_changed", now: [role, name], final: true };
    }
    this.follow();
    return this.lack() ?? this.known(role, name);
  }

  /** What is known of an element that nothing is in the way of. */
  known(role, name) {
    const { element } = this;
    const known = { ...this.control, role, name, tag: tagOf(element),
      origin: viewOf(element).origin, ...factsOf(element) };
    return this.needs.has("reached") ? this.reached(known) : this.settled(known, element, {});
  }

  /** An act on a field that was meant by its label is on the field: `control` is its number. */
  follow() {
    const { element, order, needs } = this;
    const isLabel = tagOf(element) === "label" && isHtml(element);
    const control = isLabel && (order.kinds || needs.has("editable")) ? controlOf(element) : null;
    if (!control) return;
    this.element = control;
    this.control = { control: Walker.hold(control) };
  }

  /** The first condition that is not met, null when all are. */
  lack() {
    const { element, needs } = this;
    const surface = this.surface();
    if (needs.has("drawn") && !isSeen(surface)) return { error: "not_visible" };
    if (needs.has("enabled") && isDisabled(element)) {
      return { error: needs.has("editable") ? "field_disabled" : "disabled" };
    }
    if (needs.has("editable") && !isWritable(element)) {
      return { error: "not_editable", final: !isTextual(element) };
    }
    if (needs.has("still") && isMoving(surface)) return { error: "not_stable" };
    return this.unfit();
  }

  /** Why the element is not what the order is for, null when it is. */
  unfit() {
    const { element, order } = this;
    if (order.kinds && !kindsOf(element).some((kind) => order.kinds.includes(kind))) {
      return { error: "unfit_element", final: true };
    }
    if (order.text !== undefined) return refusedText(element, order.text);
    if (order.choice && kindOf(element) === "select") return refusedChoice(element, order.choice);
    return null;
  }

  /** What a person sees of the element: itself, or the label of a control that is not drawn. */
  surface() {
    const { element } = this;
    if (isHtml(element) && isHideable(element) && !isSeen(element)) {
      return labelsOf(element).find((label) => isDrawn(label)) ?? element;
    }
    return element;
  }

  reached(known) {
    const surface = this.surface();
    const before = boxOf(surface);
    const found = place(surface, surface !== this.element, this.order.near);
    if (!found.expected) {
      const cover = describeCover(found.cover, surface);
      return cover ? { error: "covered", seen: [cover] } : { error: "not_visible" };
    }
    const after = boxOf(surface);
    const moved = before.x !== after.x || before.y !== after.y;
    return moved ? { error: "not_stable" } : this.settled(known, surface, found);
  }

  settled(known, surface, found) {
    const { arm } = this.order;
    if (arm) Walker.arm([this.element, surface, found.expected], [known.role, known.name], arm);
    const { x, y } = found;
    return x === undefined ? known : { ...known, x, y };
  }
}

/** Whether the element is drawn somewhere, the area of an image map by its image. */
const isSeen = (element) =>
  (isDrawn(element) || tagOf(element) === "area") && boxesOf(element).length > 0;

/** Whether the element, its label's control, or something around it is disabled or inert. */
function isDisabled(element) {
  const off = (node) => matches(node, ":disabled") ||
    attribute(node, "aria-disabled") === "true" || hasAttribute(node, "inert");
  const control = tagOf(element) === "label" && isHtml(element) ? controlOf(element) : null;
  return off(element) || (control !== null && off(control)) ||
    surroundingClosest(element, (node) => hasAttribute(node, "inert") ||
      attribute(node, "aria-disabled") === "true") !== null;
}

const WRITTEN = new Set(["text", "search", "url", "tel", "email", "password", "number", "date",
  "time", "month", "week", "datetime-local", "color", "range"]);

/** Whether the element is a kind of field that takes a text or a value. */
function isTextual(element) {
  if (!isHtml(element)) return false;
  const tag = tagOf(element);
  if (tag === "input") return WRITTEN.has(inputType(element));
  return tag === "textarea" || isEditable(element);
}

const isWritable = (element) => isTextual(element) && !matches(element, ":disabled") &&
  !(["input", "textarea"].includes(tagOf(element)) && hasAttribute(element, "readonly")) &&
  attribute(element, "aria-readonly") !== "true";

const animationsOf = bound(Element.prototype.getAnimations);

/** Whether an animation or transition that ends runs on the element or around it. */
function isMoving(element) {
  for (let node = element; node; node = surrounding(node)) {
    for (const animation of animationsOf(node)) {
      if (animation.playState === "running" &&
        Number.isFinite(animation.effect?.getComputedTiming().endTime)) return true;
    }
  }
  return false;
}

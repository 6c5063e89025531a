// Two lists: the topics of the server, and the numbers of the chosen one.
import type { Cockpit } from "../system/cockpit";
import { h } from "../ui/dom";
import { CURVES_MAX, type CurveStore } from "./curve_store";
import type { Leaf } from "./fields";

const ALL = "all "; // before the name of an array; no field begins so

/** Fields by the array that they belong to. */
function grouped(leaves: Leaf[]): Map<string, Leaf[]> {
  const groups = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    groups.set(leaf.group, [...(groups.get(leaf.group) ?? []), leaf]);
  }
  return groups;
}

export class CurvePicker {
  readonly topic = h("select", { "aria-label": "Topic" });
  readonly field = h("select", { "aria-label": "Add a curve" });
  private shown = "";

  constructor(
    private readonly cockpit: Cockpit,
    private readonly store: CurveStore,
  ) {
    this.topic.addEventListener("change", () => {
      this.store.look(this.topic.value);
      this.listFields();
    });
    this.field.addEventListener("change", () => this.pick());
    cockpit.onAdvertised.on(() => this.listTopics());
    cockpit.onConnection.on(() => this.listTopics());
    store.onTopic.on((topic) => topic === this.topic.value && this.listFields());
    store.onChange.on(() => this.listFields());
    this.listTopics();
  }

  private listTopics(): void {
    const topics = this.cockpit.client.topics.filter((topic) => topic !== "/sinew/log").sort();
    const text = topics.join("\n");
    if (text === this.shown) {
      return;
    }
    this.shown = text;
    const { value } = this.topic;
    this.topic.replaceChildren(
      h("option", { value: "" }, "Topic…"),
      ...topics.map((topic) => h("option", { value: topic }, topic.slice(1))),
    );
    this.topic.value = topics.includes(value) ? value : "";
    this.listFields();
  }

  private options(group: string, leaves: Leaf[]): Node[] {
    const options = leaves.map(({ path }) => {
      const isChosen = this.store.has(this.topic.value, path);
      return h("option", { value: path, disabled: isChosen }, isChosen ? `${path} ✓` : path);
    });
    if (group === "") {
      return options;
    }
    const all =
      leaves.length > 1 && leaves.length <= CURVES_MAX
        ? h("option", { value: ALL + group }, `${group}: all ${leaves.length}`)
        : "";
    return [h("optgroup", { label: group }, all, ...options)];
  }

  private listFields(): void {
    const topic = this.topic.value;
    const leaves = topic === "" ? [] : this.store.fieldsOf(topic);
    const hint =
      topic === ""
        ? "choose a topic first"
        : leaves.length > 0
          ? "Add a curve…"
          : "no numbers so far";
    this.field.replaceChildren(
      h("option", { value: "" }, hint),
      ...[...grouped(leaves)].flatMap(([group, list]) => this.options(group, list)),
    );
    this.field.disabled = leaves.length === 0;
  }

  private pick(): void {
    const { value } = this.field;
    const topic = this.topic.value;
    const leaves = this.store.fieldsOf(topic);
    const paths = value.startsWith(ALL)
      ? leaves.filter(({ group }) => group === value.slice(ALL.length)).map(({ path }) => path)
      : [value];
    if (value !== "" && !this.store.add(topic, paths)) {
      this.cockpit.onNotice.emit(`At most ${CURVES_MAX} curves are drawn: remove some first.`);
    }
  }
}

// The buttons below the picture: what is drawn, and what the pointer does.
import type { Cockpit } from "../system/cockpit";
import type { Collision } from "../system/collision";
import type { MoveBase } from "../walk/move_base";
import type { Reach } from "../system/reach";
import { Signal } from "../system/signal";
import type { ToolMove } from "../tool/tool_move";
import { byId, h, ICONS, icon, toggle } from "../ui/dom";
import { throttle } from "../ui/frame";
import type { Stage } from "./stage";

const KEY = "sinew.view";
export const ROOM = 1.7; // how much more than the robot is seen while a place is chosen
export const TOOL_ROOM = 1.3; // the same while a tool is dragged

const INITIAL = {
  measuredIsSolid: false,
  showsOther: true,
  showsBalance: true,
  showsTips: true,
  showsForces: true,
  showsBodies: false,
  follows: true,
};
type Key = keyof typeof INITIAL | "watches";

/** What the user chose; kept by the browser. */
export class Choice {
  readonly onChange = new Signal();
  private readonly values: Partial<Record<Key, boolean>>;

  constructor(private readonly cockpit: Cockpit) {
    try {
      this.values = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Choice["values"];
    } catch {
      this.values = {};
    }
  }

  is(key: Key): boolean {
    return this.values[key] ?? (key === "watches" ? this.isDemo : INITIAL[key]);
  }

  /** Unless chosen, the head of a real robot does not move when the pointer does. */
  private get isDemo(): boolean {
    const { walk, truth } = this.cockpit.roles;
    return walk !== undefined && truth !== undefined;
  }

  switch(key: Key): void {
    this.values[key] = !this.is(key);
    localStorage.setItem(KEY, JSON.stringify(this.values));
    this.onChange.emit();
  }
}

const TITLES: Partial<Record<Key, [string, string]>> = {
  showsOther: ["Ghost", "The other pose, transparent"],
  showsBalance: ["Balance", "Support polygon, centre of mass, ZMP"],
  showsForces: ["Forces", "Forces of the ground on the feet"],
  showsBodies: ["Bodies", "The shapes by which collisions are checked, and the nearest pair"],
  showsTips: [
    "Handles",
    "Draggable handles: tips of limbs, the body, the point that the head looks at",
  ],
  watches: ["Look", "The head looks at the pointer, or at you"],
  follows: ["Follow", "The camera goes with the robot"],
};

/** What the buttons act on. */
interface Parts {
  stage: Stage;
  reach: Reach;
  moveBase: MoveBase;
  collision: Collision;
  openBox: () => void;
  toolMove: ToolMove;
  openGizmo: () => void;
  watcher: { watch: { isPossible: boolean } };
}

export function makeTools(parts: Parts, cockpit: Cockpit, choice: Choice): void {
  const chip = (text: string, title: string, onclick: () => void) =>
    h("button", { class: "chip", type: "button", title, onclick }, text);
  const solid = chip("", "Which pose is drawn solid; the other is the ghost", () =>
    choice.switch("measuredIsSolid"),
  );
  solid.id = "solid";
  const chips = (Object.keys(TITLES) as Key[]).map((key) => {
    const [text, title] = TITLES[key]!;
    const button = chip(text, title, () => choice.switch(key));
    button.dataset["key"] = key;
    return { key, button };
  });
  const goTo = chip("Go to…", "Drag a ghost of the robot to where it shall stand", () => {
    const { moveBase, stage, toolMove } = parts;
    if (moveBase.place === undefined) {
      toolMove.close();
      stage.widen(ROOM);
      moveBase.open();
    } else {
      void moveBase.cancel();
    }
  });
  goTo.id = "go-to";
  const box = chip("Box…", "Draw a box that the robot must not touch", () => {
    if (parts.collision.box === undefined) {
      parts.openBox();
    } else {
      parts.collision.close();
    }
  });
  box.id = "draw-box";
  const gizmo = chip("Move tool…", "Drag the tool to where it shall go", () => {
    if (parts.toolMove.isOpen) {
      void parts.toolMove.cancel();
    } else {
      parts.openGizmo();
    }
  });
  gizmo.id = "move-tool";
  const home = chip("", "Show the whole robot", () => parts.stage.goHome());
  home.setAttribute("aria-label", home.title);
  home.append(icon(ICONS.fit));

  const refresh = () => {
    const { roles, measured, baseFrom, forces } = cockpit;
    const hasMeasured = measured.isKnown || roles.measured !== undefined;
    const isShown: Partial<Record<Key, boolean>> = {
      showsOther: hasMeasured,
      showsBalance: roles.dynamics !== undefined,
      showsForces: forces !== undefined,
      showsBodies: cockpit.urdf !== "",
      showsTips: parts.reach.isPossible,
      watches: roles.walk !== undefined && parts.watcher.watch.isPossible,
      follows: baseFrom === "truth" || baseFrom === "estimate",
    };
    const { unchecked } = parts.collision;
    for (const { key, button } of chips) {
      const [text, title] = TITLES[key]!;
      const isWarning = key === "showsBodies" && unchecked !== undefined;
      button.textContent = isWarning ? `${text}: ${unchecked.short}` : text;
      button.title = isWarning ? `${title}. ${unchecked.long}` : title;
      button.classList.toggle("warn", isWarning);
      button.setAttribute("aria-pressed", String(choice.is(key)));
      toggle(button, isShown[key] === true);
    }
    solid.textContent = choice.is("measuredIsSolid") ? "Solid: measured" : "Solid: desired";
    toggle(solid, hasMeasured);
    goTo.setAttribute("aria-pressed", String(parts.moveBase.place !== undefined));
    toggle(goTo, parts.moveBase.isPossible);
    box.setAttribute("aria-pressed", String(parts.collision.box !== undefined));
    toggle(box, parts.collision.isPossible);
    gizmo.setAttribute("aria-pressed", String(parts.toolMove.isOpen));
    toggle(gizmo, parts.toolMove.isOpen || parts.toolMove.isPossible);
  };
  choice.onChange.on(refresh);
  cockpit.onRoles.on(refresh);
  cockpit.onRobot.on(refresh);
  cockpit.onConnection.on(refresh);
  cockpit.onBase.on(throttle(1, refresh));
  parts.moveBase.onChange.on(refresh);
  parts.collision.onChange.on(throttle(1, refresh));
  parts.toolMove.onChange.on(refresh);
  parts.toolMove.tools.onChange.on(refresh);
  refresh();
  byId("tools").append(solid, ...chips.map(({ button }) => button), goTo, gizmo, box, home);
}

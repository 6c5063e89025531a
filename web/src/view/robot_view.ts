// The robot in the scene: one figure for the desired pose, one for the measured pose.
import * as THREE from "three";
import type { URDFRobot } from "urdf-loader";
import type { Cockpit } from "../system/cockpit";
import { Reach } from "../system/reach";
import { byId, h, ICONS, icon, toggle } from "../ui/dom";
import { colour, watchTheme } from "../ui/theme";
import { BalanceOverlay } from "./balance";
import { type Figure, lowest, makeFigure, makeGhost, setPose } from "./figure";
import { Stage } from "./stage";
import { Tips } from "./tips";

const KEY = "sinew.view";
const VISIBLE = 1e-4; // rad or m: smaller motions cannot be seen

interface Choice {
  measuredIsSolid: boolean;
  showsOther: boolean;
  showsBalance: boolean;
  showsTips: boolean;
}

function loadChoice(): Choice {
  const initial = { measuredIsSolid: false, showsOther: true, showsBalance: true, showsTips: true };
  try {
    return { ...initial, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Choice>) };
  } catch {
    return initial;
  }
}

export class RobotView {
  readonly stage: Stage;
  readonly reach: Reach;
  readonly tips: Tips;
  private readonly choice = loadChoice();
  private readonly standing = new THREE.Group(); // offset that puts the feet on the floor
  figure: Figure | undefined;
  private ghost: URDFRobot | undefined;
  private balance: BalanceOverlay | undefined;
  private floor = 0;
  private drawn: Float64Array[] = [];

  constructor(
    private readonly cockpit: Cockpit,
    announce: (text: string) => void,
  ) {
    this.stage = new Stage(byId<HTMLCanvasElement>("canvas"));
    this.reach = new Reach(cockpit);
    this.tips = new Tips(cockpit, this.reach, this.stage, announce);
    this.stage.world.add(this.standing);
    this.standing.add(this.tips.group);
    this.stage.onDraw = () => this.update();
    const draw = () => this.stage.draw();
    cockpit.onPose.on(() => {
      if (this.hasMoved()) {
        draw();
      }
    });
    cockpit.onRobot.on(() => void this.load());
    this.reach.onChange = draw;
    this.makeTools();
    watchTheme(() => this.paint());
  }

  private async load(): Promise<void> {
    const urdf = this.cockpit.urdf;
    const figure = await makeFigure(urdf);
    if (urdf !== this.cockpit.urdf) {
      return; // the robot changed meanwhile
    }
    this.standing.clear();
    this.figure = figure;
    this.ghost = makeGhost(figure, new THREE.Color(colour("accent")));
    this.balance = new BalanceOverlay(figure.scale);
    this.reach.stride.longest = 0.06 * figure.scale;
    this.standing.add(figure.robot, this.ghost, this.balance.group, this.tips.group);
    byId("robot-name").textContent = figure.robot.robotName;
    document.title = `${figure.robot.robotName} · Sinew`;
    setPose(figure.robot, this.cockpit.desired);
    this.settle(true);
    const box = new THREE.Box3().setFromObject(figure.robot);
    this.stage.fit(box);
    this.paint();
    this.showMissing(figure);
    byId("stage").dataset["robot"] = figure.robot.robotName;
  }

  /** List meshes that could not be shown, with the places where the server searched. */
  private showMissing({ missing }: Figure): void {
    const box = byId("missing");
    const count = missing.length;
    toggle(box, count > 0);
    box.replaceChildren(
      h(
        "summary",
        {},
        count === 1 ? `Mesh missing: ${missing[0]!.name}` : `${count} meshes missing`,
      ),
      ...missing.map(({ name, reason }) => h("p", {}, h("strong", {}, name), " ", reason)),
    );
  }

  /** Keep the feet of legged robots on the floor; other robots keep their height. */
  private settle(isFirst: boolean): void {
    if (this.figure === undefined) {
      return;
    }
    if (isFirst || this.cockpit.isLegged) {
      this.figure.robot.updateMatrixWorld(true);
      this.floor = lowest(this.figure);
      this.standing.position.z = -this.floor;
      this.standing.updateMatrixWorld(true);
    }
  }

  /** Whether the robot moved visibly since the last drawing. A robot at rest is not redrawn. */
  private hasMoved(): boolean {
    const { desired, measured } = this.cockpit;
    const now = [desired.position, measured.position];
    const isSame = now.every((values, k) => {
      const before = this.drawn[k];
      return (
        before?.length === values.length &&
        values.every((value, i) => Math.abs(value - before[i]!) < VISIBLE)
      );
    });
    if (!isSame) {
      this.drawn = now.map((values) => values.slice());
    }
    return !isSame;
  }

  private update(): void {
    const { cockpit, choice, figure, ghost } = this;
    if (figure === undefined || ghost === undefined) {
      return;
    }
    const hasMeasured = cockpit.measured.isKnown;
    const measuredIsSolid = choice.measuredIsSolid && hasMeasured;
    setPose(figure.robot, measuredIsSolid ? cockpit.measured : cockpit.desired);
    ghost.visible = choice.showsOther && hasMeasured;
    if (ghost.visible) {
      setPose(ghost, measuredIsSolid ? cockpit.desired : cockpit.measured);
    }
    this.settle(false);
    if (this.balance !== undefined) {
      this.balance.group.visible = choice.showsBalance && cockpit.balance !== undefined;
      if (cockpit.balance !== undefined) {
        this.balance.show(cockpit.balance, this.floor);
      }
    }
    this.tips.update(choice.showsTips);
  }

  private paint(): void {
    const tint = this.ghost?.userData["tint"] as THREE.MeshStandardMaterial | undefined;
    tint?.color.set(colour("ghost"));
    this.balance?.paint(colour("accent"), colour("danger"));
    this.tips.paint(colour("handle"), colour("accent"));
    this.stage.paint();
  }

  // ---- buttons ----

  private makeTools(): void {
    const change = (key: keyof Choice, value: boolean) => {
      this.choice[key] = value;
      localStorage.setItem(KEY, JSON.stringify(this.choice));
      this.stage.draw();
      refresh();
    };
    const chip = (key: keyof Choice, text: string, title: string) =>
      h(
        "button",
        {
          class: "chip",
          type: "button",
          title,
          "aria-pressed": String(this.choice[key]),
          onclick: () => change(key, !this.choice[key]),
          "data-key": key,
        },
        text,
      );
    const solid = h("button", {
      class: "chip",
      type: "button",
      id: "solid",
      title: "Which pose is drawn solid; the other is the ghost",
      onclick: () => change("measuredIsSolid", !this.choice.measuredIsSolid),
    });
    const other = chip("showsOther", "Ghost", "The other pose, transparent");
    const balance = chip("showsBalance", "Balance", "Support polygon, centre of mass, ZMP");
    const tips = chip("showsTips", "Tips", "Draggable handles at the tips of limbs");
    const home = h(
      "button",
      {
        class: "chip",
        type: "button",
        title: "Show the whole robot",
        "aria-label": "Show the whole robot",
        onclick: () => this.stage.goHome(),
      },
      icon(ICONS.fit),
    );
    const refresh = () => {
      const { roles, measured } = this.cockpit;
      for (const button of [other, balance, tips]) {
        const key = button.dataset["key"] as keyof Choice;
        button.setAttribute("aria-pressed", String(this.choice[key]));
      }
      solid.textContent = this.choice.measuredIsSolid ? "Solid: measured" : "Solid: desired";
      toggle(solid, measured.isKnown || roles.measured !== undefined);
      toggle(other, measured.isKnown || roles.measured !== undefined);
      toggle(balance, roles.dynamics !== undefined);
      toggle(tips, this.reach.isPossible);
    };
    this.cockpit.onRoles.on(refresh);
    this.cockpit.onConnection.on(refresh);
    refresh();
    byId("tools").append(solid, other, balance, tips, home);
  }
}

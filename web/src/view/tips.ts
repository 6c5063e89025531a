// Handles at the tips of limbs, at the body, where the head looks and where the robot shall stand, moved by mouse,
// finger or keyboard.
import * as THREE from "three";
import type { Point } from "../system/messages";
import type { Stage } from "./stage";

/** What a handle moves. Points are in the root frame. */
export interface Grab {
  /** For people: "Tip of leg1". */
  label: string;
  /** It moves on the ground. */
  isFlat?: boolean;
  /** undefined: there is none now */
  place(): Point | undefined;
  /** Where it is dragged to. */
  goal(): Point | undefined;
  isHeld(): boolean;
  begin(): boolean;
  move(goal: Point): void;
  /** Drag with the shift key, rad; a handle without it moves. */
  turn?(roll: number, pitch: number): void;
  nudge(by: Point): void;
  letGo(): void;
}

const SIZE_PX = 26;
const NEAR_PX = { mouse: 16, touch: 32 };
const NUDGE = 0.005; // m
const TURN = 0.004; // rad for each pixel
const KEYS: Record<string, Point> = {
  ArrowUp: { x: 1, y: 0, z: 0 },
  ArrowDown: { x: -1, y: 0, z: 0 },
  ArrowLeft: { x: 0, y: 1, z: 0 },
  ArrowRight: { x: 0, y: -1, z: 0 },
  PageUp: { x: 0, y: 0, z: 1 },
  PageDown: { x: 0, y: 0, z: -1 },
};

function drawHandle(): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 96;
  const context = canvas.getContext("2d")!;
  context.lineWidth = 9;
  context.strokeStyle = context.fillStyle = "#fff";
  context.beginPath();
  context.arc(48, 48, 38, 0, 2 * Math.PI);
  context.globalAlpha = 0.28;
  context.fill();
  context.globalAlpha = 1;
  context.stroke();
  context.beginPath();
  context.arc(48, 48, 11, 0, 2 * Math.PI);
  context.fill();
  return new THREE.CanvasTexture(canvas);
}

export class Tips {
  readonly group = new THREE.Group();
  /** By name: limbs, then `body`, `gaze`, `place` and `heading`. */
  grabs = new Map<string, Grab>();
  selected: string | undefined;
  private readonly texture = drawHandle();
  private readonly handles = new Map<string, THREE.Sprite>();
  private readonly line = new THREE.Line(
    new THREE.BufferGeometry(),
    new THREE.LineDashedMaterial({ depthTest: false, dashSize: 0.01, gapSize: 0.006 }),
  );
  private hovered: string | undefined;
  private held: string | undefined;
  private lastPointer = { x: 0, y: 0 };
  private readonly plane = new THREE.Plane();
  private readonly grabbed = new THREE.Vector3(); // from the tip to the grab point
  private normal = new THREE.Color();
  private strong = new THREE.Color();

  constructor(
    private readonly stage: Stage,
    private readonly announce: (text: string) => void,
  ) {
    this.line.renderOrder = 6;
    this.line.frustumCulled = false;
    this.group.add(this.line);
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", () => this.up());
    canvas.addEventListener("pointercancel", () => this.up());
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  paint(normal: string, strong: string): void {
    this.normal.set(normal);
    this.strong.set(strong);
    (this.line.material as THREE.LineDashedMaterial).color.set(strong);
  }

  /** Move the handles to the tips; called before each drawing. */
  update(isShown: boolean): void {
    this.group.visible = isShown;
    for (const [name, sprite] of this.handles) {
      if (!isShown || this.grabs.get(name)?.place() === undefined) {
        sprite.removeFromParent();
        this.handles.delete(name);
      }
    }
    const { camera, canvas } = this.stage;
    const unit = (2 * Math.tan((Math.PI * camera.fov) / 360)) / Math.max(canvas.clientHeight, 1);
    for (const [name, grab] of isShown ? this.grabs : []) {
      const place = grab.place();
      if (place === undefined) {
        continue;
      }
      const sprite = this.handle(name);
      const isStrong = grab.isHeld() || name === this.hovered || name === this.selected;
      sprite.position.set(place.x, place.y, place.z);
      sprite.scale.setScalar(unit * SIZE_PX * (isStrong ? 1.25 : 1));
      sprite.material.color.copy(isStrong ? this.strong : this.normal);
    }
    this.updateLine();
  }

  private handle(name: string): THREE.Sprite {
    let sprite = this.handles.get(name);
    if (sprite === undefined) {
      const material = new THREE.SpriteMaterial({
        map: this.texture,
        depthTest: false,
        sizeAttenuation: false,
      });
      sprite = new THREE.Sprite(material);
      sprite.renderOrder = 7;
      this.handles.set(name, sprite);
      this.group.add(sprite);
    }
    return sprite;
  }

  private updateLine(): void {
    const grab = [...this.grabs.values()].find((entry) => entry.goal() !== undefined);
    const from = grab?.place();
    const to = grab?.goal();
    this.line.visible = from !== undefined && to !== undefined;
    if (from !== undefined && to !== undefined) {
      this.line.geometry.setFromPoints([
        new THREE.Vector3(from.x, from.y, from.z),
        new THREE.Vector3(to.x, to.y, to.z),
      ]);
      this.line.computeLineDistances();
    }
  }

  /** Canvas pixel of a point in the root frame. */
  toScreen(point: Point): { x: number; y: number } {
    const { canvas, camera } = this.stage;
    const place = new THREE.Vector3(point.x, point.y, point.z);
    this.group.localToWorld(place).project(camera);
    return {
      x: (0.5 + 0.5 * place.x) * canvas.clientWidth,
      y: (0.5 - 0.5 * place.y) * canvas.clientHeight,
    };
  }

  private pick(event: PointerEvent): string | undefined {
    const near = event.pointerType === "mouse" ? NEAR_PX.mouse : NEAR_PX.touch;
    const box = this.stage.canvas.getBoundingClientRect();
    let best: string | undefined;
    let nearest = near;
    for (const name of this.handles.keys()) {
      const at = this.grabs.get(name)?.place();
      const place = at && this.toScreen(at);
      const away = place
        ? Math.hypot(event.clientX - box.left - place.x, event.clientY - box.top - place.y)
        : Infinity;
      if (away < nearest) {
        nearest = away;
        best = name;
      }
    }
    return best;
  }

  private ray(event: PointerEvent): THREE.Ray {
    const box = this.stage.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(
      (2 * (event.clientX - box.left)) / box.width - 1,
      1 - (2 * (event.clientY - box.top)) / box.height,
    );
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.stage.camera);
    return caster.ray;
  }

  private down(event: PointerEvent): void {
    const name = event.button === 0 && this.group.visible ? this.pick(event) : undefined;
    if (name === undefined || !this.grabs.get(name)!.begin()) {
      return;
    }
    event.stopImmediatePropagation(); // do not move the camera
    event.preventDefault();
    this.stage.canvas.focus({ preventScroll: true });
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.controls.enabled = false;
    const tip = this.handle(name).getWorldPosition(new THREE.Vector3());
    const normal = this.grabs.get(name)!.isFlat
      ? new THREE.Vector3(0, 0, 1)
      : this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.plane.setFromNormalAndCoplanarPoint(normal, tip);
    const at = this.ray(event).intersectPlane(this.plane, new THREE.Vector3());
    this.grabbed.copy(at === null ? new THREE.Vector3() : at.sub(tip));
    this.lastPointer = { x: event.clientX, y: event.clientY };
    this.held = this.selected = name;
    this.stage.draw();
  }

  private drag(grab: Grab, event: PointerEvent): void {
    const { x: lastX, y: lastY } = this.lastPointer;
    this.lastPointer = { x: event.clientX, y: event.clientY };
    if (event.shiftKey && grab.turn !== undefined) {
      grab.turn(TURN * (event.clientX - lastX), TURN * (event.clientY - lastY));
      return;
    }
    const at = this.ray(event).intersectPlane(this.plane, new THREE.Vector3());
    if (at !== null) {
      const { x, y, z } = this.group.worldToLocal(at.sub(this.grabbed));
      grab.move({ x, y, z });
    }
  }

  private move(event: PointerEvent): void {
    const grab = this.held === undefined ? undefined : this.grabs.get(this.held);
    if (grab?.isHeld()) {
      this.drag(grab, event);
      return;
    }
    const over = event.buttons === 0 ? this.pick(event) : undefined;
    if (over !== this.hovered) {
      this.hovered = over;
      this.stage.canvas.style.cursor = over === undefined ? "" : "grab";
      this.stage.canvas.title = (over && this.grabs.get(over)?.label) ?? "";
      this.stage.draw();
    }
  }

  private up(): void {
    this.stage.controls.enabled = true;
    if (this.held !== undefined) {
      this.grabs.get(this.held)?.letGo();
      this.held = undefined;
    }
    this.stage.draw();
  }

  private key(event: KeyboardEvent): void {
    const names = [...this.grabs].filter(([, grab]) => grab.place()).map(([name]) => name);
    if ((event.key === "t" || event.key === "T") && names.length > 0) {
      const at = this.selected === undefined ? -1 : names.indexOf(this.selected);
      this.selected = names[(at + (event.shiftKey ? names.length - 1 : 1)) % names.length]!;
      this.announce(
        `${this.grabs.get(this.selected)!.label}: arrow keys move it along x and y, page up and down along z`,
      );
    } else if (event.key === "Escape") {
      this.selected = undefined;
    } else if (this.selected !== undefined && KEYS[event.key] !== undefined) {
      const { x, y, z } = KEYS[event.key]!;
      const by = event.shiftKey ? 4 * NUDGE : NUDGE;
      this.grabs.get(this.selected)?.nudge({ x: by * x, y: by * y, z: by * z });
    } else {
      return;
    }
    event.preventDefault();
    this.stage.draw();
  }
}

// Handles at the tips of limbs, moved by mouse, finger or keyboard.
import * as THREE from "three";
import type { Cockpit } from "../system/cockpit";
import type { Point } from "../system/messages";
import type { Reach } from "../system/reach";
import type { Stage } from "./stage";

const SIZE_PX = 26;
const NEAR_PX = { mouse: 16, touch: 32 };
const NUDGE = 0.005; // m
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
  selected: string | undefined;
  private readonly texture = drawHandle();
  private readonly handles = new Map<string, THREE.Sprite>();
  private readonly line = new THREE.Line(
    new THREE.BufferGeometry(),
    new THREE.LineDashedMaterial({ depthTest: false, dashSize: 0.01, gapSize: 0.006 }),
  );
  private hovered: string | undefined;
  private readonly plane = new THREE.Plane();
  private readonly grabbed = new THREE.Vector3(); // from the tip to the grab point
  private normal = new THREE.Color();
  private strong = new THREE.Color();

  constructor(
    private readonly cockpit: Cockpit,
    private readonly reach: Reach,
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
    const chains = isShown ? this.reach.chains() : [];
    for (const [chain, sprite] of this.handles) {
      if (!chains.includes(chain)) {
        sprite.removeFromParent();
        this.handles.delete(chain);
      }
    }
    const { camera, canvas } = this.stage;
    const unit = (2 * Math.tan((Math.PI * camera.fov) / 360)) / Math.max(canvas.clientHeight, 1);
    for (const chain of chains) {
      const sprite = this.handle(chain);
      const { x, y, z } = this.cockpit.tips.get(chain)!.position;
      const isStrong =
        chain === this.reach.grip?.chain || chain === this.hovered || chain === this.selected;
      sprite.position.set(x, y, z);
      sprite.scale.setScalar(unit * SIZE_PX * (isStrong ? 1.25 : 1));
      sprite.material.color.copy(isStrong ? this.strong : this.normal);
    }
    this.updateLine();
  }

  private handle(chain: string): THREE.Sprite {
    let sprite = this.handles.get(chain);
    if (sprite === undefined) {
      const material = new THREE.SpriteMaterial({
        map: this.texture,
        depthTest: false,
        sizeAttenuation: false,
      });
      sprite = new THREE.Sprite(material);
      sprite.renderOrder = 7;
      this.handles.set(chain, sprite);
      this.group.add(sprite);
    }
    return sprite;
  }

  private updateLine(): void {
    const { grip } = this.reach;
    const tip = grip && this.cockpit.tips.get(grip.chain);
    this.line.visible = tip !== undefined;
    if (grip !== undefined && tip !== undefined) {
      const from = new THREE.Vector3(tip.position.x, tip.position.y, tip.position.z);
      const to = new THREE.Vector3(grip.goal.x, grip.goal.y, grip.goal.z);
      this.line.geometry.setFromPoints([from, to]);
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
    for (const chain of this.handles.keys()) {
      const place = this.toScreen(this.cockpit.tips.get(chain)!.position);
      const away = Math.hypot(
        event.clientX - box.left - place.x,
        event.clientY - box.top - place.y,
      );
      if (away < nearest) {
        nearest = away;
        best = chain;
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
    const chain = event.button === 0 && this.group.visible ? this.pick(event) : undefined;
    if (chain === undefined || !this.reach.begin(chain)) {
      return;
    }
    event.stopImmediatePropagation(); // do not move the camera
    event.preventDefault();
    this.stage.canvas.focus({ preventScroll: true });
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.controls.enabled = false;
    const tip = this.handle(chain).getWorldPosition(new THREE.Vector3());
    const towards = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.plane.setFromNormalAndCoplanarPoint(towards, tip);
    const at = this.ray(event).intersectPlane(this.plane, new THREE.Vector3());
    this.grabbed.copy(at === null ? new THREE.Vector3() : at.sub(tip));
    this.selected = chain;
    this.stage.draw();
  }

  private move(event: PointerEvent): void {
    if (this.reach.grip?.isHeld) {
      const at = this.ray(event).intersectPlane(this.plane, new THREE.Vector3());
      if (at !== null) {
        const { x, y, z } = this.group.worldToLocal(at.sub(this.grabbed));
        this.reach.move({ x, y, z });
      }
      return;
    }
    const over = event.buttons === 0 ? this.pick(event) : undefined;
    if (over !== this.hovered) {
      this.hovered = over;
      this.stage.canvas.style.cursor = over === undefined ? "" : "grab";
      this.stage.draw();
    }
  }

  private up(): void {
    this.stage.controls.enabled = true;
    this.reach.letGo();
    this.stage.draw();
  }

  private key(event: KeyboardEvent): void {
    const chains = this.reach.chains();
    if ((event.key === "t" || event.key === "T") && chains.length > 0) {
      const at = this.selected === undefined ? -1 : chains.indexOf(this.selected);
      this.selected = chains[(at + (event.shiftKey ? chains.length - 1 : 1)) % chains.length];
      this.announce(
        `Tip of ${this.selected}: arrow keys move it along x and y, page up and down along z`,
      );
    } else if (event.key === "Escape") {
      this.selected = undefined;
    } else if (this.selected !== undefined && KEYS[event.key] !== undefined) {
      const { x, y, z } = KEYS[event.key]!;
      const by = event.shiftKey ? 4 * NUDGE : NUDGE;
      this.reach.nudge(this.selected, { x: by * x, y: by * y, z: by * z });
    } else {
      return;
    }
    event.preventDefault();
    this.stage.draw();
  }
}

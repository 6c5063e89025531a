// Arrows, planes and rings at an object of the scene: dragging them moves and turns it.
import type * as THREE from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { Stage } from "./stage";

export class Gizmo {
  onMove: () => void = () => undefined;
  private readonly arrows: TransformControls;
  private readonly rings: TransformControls;
  private target: THREE.Object3D | undefined;

  constructor(private readonly stage: Stage) {
    // The arrows listen first: where an arrow and a ring overlap, the arrow is meant.
    this.arrows = this.make("translate", 0.8);
    this.rings = this.make("rotate", 1.5);
    this.rings.showE = this.rings.showXYZE = false; // they would turn about the line of sight
    this.arrows.addEventListener("mouseDown", () => (this.rings.enabled = false));
    this.arrows.addEventListener("mouseUp", () => (this.rings.enabled = true));
    stage.canvas.addEventListener("pointercancel", () => {
      this.arrows.pointerUp(null);
      this.rings.pointerUp(null);
    });
  }

  get isHeld(): boolean {
    return this.arrows.dragging || this.rings.dragging;
  }

  private make(mode: "translate" | "rotate", size: number): TransformControls {
    const controls = new TransformControls(this.stage.camera);
    controls.setMode(mode);
    controls.setSize(size);
    controls.addEventListener("change", () => this.stage.draw());
    controls.addEventListener("objectChange", () => this.onMove());
    controls.addEventListener("dragging-changed", ({ value }) => {
      this.stage.controls.enabled = value !== true; // the camera stays
    });
    return controls;
  }

  /** @param space  whose axes: those of the world or those of the object */
  show(target: THREE.Object3D, space: "world" | "local"): void {
    for (const controls of [this.arrows, this.rings]) {
      controls.setSpace(space);
      if (this.target !== target) {
        controls.attach(target);
        this.stage.world.add(controls.getHelper());
      }
      if (this.target === undefined) {
        controls.connect(this.stage.canvas);
      }
    }
    this.target = target;
  }

  hide(): void {
    if (this.target === undefined) {
      return;
    }
    this.target = undefined;
    for (const controls of [this.arrows, this.rings]) {
      controls.pointerUp(null);
      controls.disconnect();
      controls.detach();
      controls.getHelper().removeFromParent();
    }
    this.stage.controls.enabled = true;
  }
}

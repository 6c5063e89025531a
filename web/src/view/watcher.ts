// The point that the head follows: between the robot and the pointer over the picture, or else the camera.
import * as THREE from "three";
import type { Cockpit } from "../system/cockpit";
import { outer } from "../system/geometry";
import { Watch } from "../system/watch";
import type { Stage } from "./stage";

const PERIOD_MS = 60;
const NEAR = 0.5; // the point is this part of the way from the head to the camera

export class Watcher {
  readonly watch: Watch;
  private pointer: { x: number; y: number } | undefined;
  private isOn = false;

  constructor(
    private readonly cockpit: Cockpit,
    private readonly stage: Stage,
  ) {
    this.watch = new Watch(cockpit);
    stage.canvas.addEventListener("pointermove", (event) => this.follow(event));
    stage.canvas.addEventListener("pointerleave", () => (this.pointer = undefined));
    setInterval(() => this.tick(), PERIOD_MS);
  }

  /** @param releases  give the head back when it is switched off */
  switch(isOn: boolean, releases: boolean): void {
    if (this.isOn && !isOn && releases) {
      this.watch.end();
    }
    this.isOn = isOn;
  }

  private follow(event: PointerEvent): void {
    const box = this.stage.canvas.getBoundingClientRect();
    this.pointer = {
      x: (2 * (event.clientX - box.left)) / box.width - 1,
      y: 1 - (2 * (event.clientY - box.top)) / box.height,
    };
  }

  private tick(): void {
    const tip = this.cockpit.tips.get(this.watch.head);
    if (!this.isOn || document.hidden || tip === undefined || !this.watch.isPossible) {
      return;
    }
    const head = outer(this.cockpit.base, tip.position);
    const { x, y, z } = this.target(new THREE.Vector3(head.x, head.y, head.z));
    this.watch.look({ x, y, z });
  }

  /** @param head  in the world */
  private target(head: THREE.Vector3): THREE.Vector3 {
    const { camera } = this.stage;
    const towards = camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(towards, head);
    const caster = new THREE.Raycaster();
    const { x, y } = this.pointer ?? { x: 0, y: 0 };
    caster.setFromCamera(new THREE.Vector2(x, y), camera);
    const at = this.pointer && caster.ray.intersectPlane(plane, new THREE.Vector3());
    return (at ?? head.clone()).lerp(camera.position, NEAR);
  }
}

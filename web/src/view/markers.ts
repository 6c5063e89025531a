// Rings on the ground where feet will stand.
import * as THREE from "three";
import type { Point } from "../system/messages";

export class Markers {
  readonly group = new THREE.Group();
  private readonly shape: THREE.RingGeometry;
  private readonly material = new THREE.MeshBasicMaterial({
    side: THREE.DoubleSide,
    depthTest: false,
    transparent: true,
    opacity: 0.9,
  });

  /** @param radius  m */
  constructor(private readonly radius: number) {
    this.shape = new THREE.RingGeometry(0.55 * radius, radius, 24);
  }

  paint(colour: string): void {
    this.material.color.set(colour);
  }

  /** @param places  in the world */
  show(places: Point[]): void {
    while (this.group.children.length > places.length) {
      this.group.children.at(-1)!.removeFromParent();
    }
    while (this.group.children.length < places.length) {
      const ring = new THREE.Mesh(this.shape, this.material);
      ring.renderOrder = 5;
      this.group.add(ring);
    }
    places.forEach(({ x, y, z }, i) => {
      this.group.children[i]!.position.set(x, y, z + 0.05 * this.radius);
    });
  }
}

// Objects around the robot that it must not touch, in the root frame, and the box that the user draws.
import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { type Box, toObject } from "../system/collision";
import type { WorldObject } from "../system/messages";

const PLANE_M = 4; // edge of what is drawn of a plane

/** undefined: cannot be drawn */
function geometryOf({ shape, size, points }: WorldObject): THREE.BufferGeometry | undefined {
  const [a = 0, b = 0, c = 0] = size;
  switch (shape) {
    case "box":
      return new THREE.BoxGeometry(a, b, c);
    case "sphere":
      return new THREE.SphereGeometry(a, 32, 20);
    case "cylinder":
      return new THREE.CylinderGeometry(a, a, b, 32).rotateX(Math.PI / 2);
    case "plane":
      return new THREE.PlaneGeometry(PLANE_M, PLANE_M);
    case "hull":
      return points.length < 4
        ? undefined
        : new ConvexGeometry(points.map(({ x, y, z }) => new THREE.Vector3(x, y, z)));
    default:
      return undefined;
  }
}

export class WorldObjects {
  readonly group = new THREE.Group();
  private readonly fill = new THREE.MeshStandardMaterial({
    transparent: true,
    opacity: 0.28,
    side: THREE.DoubleSide,
    depthWrite: false,
    roughness: 0.9,
  });
  private readonly edge = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.8 });
  private readonly drawnFill = this.fill.clone();
  private readonly drawnEdge = this.edge.clone();
  private shown: { objects: WorldObject[]; box: Box | undefined } | undefined;

  paint(kept: string, drawn: string): void {
    this.fill.color.set(kept);
    this.edge.color.set(kept);
    this.drawnFill.color.set(drawn);
    this.drawnEdge.color.set(drawn);
  }

  /** Called before each drawing. */
  show(objects: WorldObject[], box: Box | undefined): void {
    if (this.shown?.objects === objects && this.shown.box === box) {
      return;
    }
    this.shown = { objects, box };
    this.clear();
    objects.forEach((object) => this.add(object, this.fill, this.edge));
    if (box !== undefined) {
      this.add(toObject(box), this.drawnFill, this.drawnEdge);
    }
  }

  private clear(): void {
    for (const part of [...this.group.children] as (THREE.Mesh | THREE.LineSegments)[]) {
      part.geometry.dispose();
      part.removeFromParent();
    }
  }

  private add(object: WorldObject, fill: THREE.Material, edge: THREE.Material): void {
    const geometry = geometryOf(object);
    if (geometry === undefined) {
      return;
    }
    const { position, orientation } = object.pose;
    const { x, y, z, w } = orientation;
    const parts = [
      new THREE.Mesh(geometry, fill),
      new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 25), edge),
    ];
    parts.forEach((part) => {
      part.position.set(position.x, position.y, position.z);
      if (Math.hypot(x, y, z, w) > 0.5) {
        part.quaternion.set(x, y, z, w).normalize();
      }
      part.userData["name"] = object.name;
      part.renderOrder = 2;
      this.group.add(part);
    });
  }
}

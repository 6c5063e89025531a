// Default shape of links without visuals: bones from joint to joint, joints as cylinders along their
// axes, a sphere at the end of a limb.
import * as THREE from "three";
import type { URDFJoint, URDFLink } from "urdf-loader";

const BONE = new THREE.Color(0xe4e8ee);
const JOINT = new THREE.Color(0x5b6472);
const TIP = new THREE.Color(0x3a414c);
const UP = new THREE.Vector3(0, 1, 0); // the axis of three's cylinders

export function paint(geometry: THREE.BufferGeometry, colour: THREE.Color): THREE.BufferGeometry {
  const count = geometry.getAttribute("position").count;
  const colours = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    colour.toArray(colours, 3 * i);
  }
  return geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
}

/** Colour each group of vertices by its material; without groups use the first material. */
export function paintGroups(
  geometry: THREE.BufferGeometry,
  colours: THREE.Color[],
): THREE.BufferGeometry {
  paint(geometry, colours[0]!);
  const attribute = geometry.getAttribute("color");
  for (const { start, count, materialIndex = 0 } of colours.length > 1 ? geometry.groups : []) {
    const { r, g, b } = colours[materialIndex] ?? colours[0]!;
    for (let i = start; i < Math.min(start + count, attribute.count); i++) {
      attribute.setXYZ(i, r, g, b);
    }
  }
  return geometry;
}

function turned(geometry: THREE.BufferGeometry, axis: THREE.Vector3): THREE.BufferGeometry {
  const turn = new THREE.Quaternion().setFromUnitVectors(UP, axis.clone().normalize());
  return geometry.applyQuaternion(turn);
}

function bone(to: THREE.Vector3, thickness: number): THREE.BufferGeometry {
  const length = to.length();
  const wide = Math.min(thickness, 0.3 * length);
  const geometry = new THREE.CylinderGeometry(0.55 * wide, wide, length, 20, 1);
  geometry.translate(0, length / 2, 0);
  return paint(turned(geometry, to), BONE);
}

const isJoint = (node: THREE.Object3D): node is URDFJoint => "isURDFJoint" in node;

/** @param scale  size of the robot, m; determines the thickness of bones
 *  @return coloured geometry in the frame of the link */
export function drawBones(link: URDFLink, scale: number): THREE.BufferGeometry[] {
  const thickness = 0.022 * scale;
  const parts: THREE.BufferGeometry[] = [];
  const children = link.children.filter(isJoint);
  for (const child of children) {
    if (child.position.length() > 1e-6) {
      parts.push(bone(child.position, thickness));
    }
  }
  const parent = link.parent;
  if (parent !== null && isJoint(parent) && parent.jointType !== "fixed") {
    const size = 1.25 * thickness;
    const geometry = new THREE.CylinderGeometry(size, size, 2.1 * size, 24);
    parts.push(paint(turned(geometry, parent.axis), JOINT));
  } else {
    parts.push(paint(new THREE.SphereGeometry(thickness, 20, 12), BONE));
  }
  if (children.length === 0) {
    parts.push(paint(new THREE.SphereGeometry(0.8 * thickness, 20, 12), TIP));
  }
  return parts;
}

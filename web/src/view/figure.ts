// A robot that can be posed and drawn. Each link becomes one mesh with vertex colours, so that the number of
// draw calls is the number of links, however many parts they have; textures add one each.
import * as THREE from "three";
import URDFLoader, { type URDFJoint, type URDFLink, type URDFRobot } from "urdf-loader";
import type { PoseTrack } from "../system/pose";
import { drawVisuals, mergeParts, sameAttributes } from "./link_parts";
import { loadMesh, type MissingMesh } from "./meshes";
import { drawBones } from "./skeleton";

export interface Figure {
  robot: URDFRobot;
  /** Corners of each link's bounding box, in its frame. */
  boxes: { link: THREE.Object3D; corners: THREE.Vector3[] }[];
  /** Largest extent in the zero pose, m. */
  scale: number;
  /** Files that could not be shown. */
  missing: MissingMesh[];
}

const links = (robot: URDFRobot): URDFLink[] => Object.values(robot.links);

function extent(robot: URDFRobot): number {
  const box = new THREE.Box3().setFromObject(robot);
  const origin = new THREE.Vector3();
  links(robot).forEach((link) => box.expandByPoint(link.getWorldPosition(origin)));
  const size = box.getSize(new THREE.Vector3());
  return Math.max(size.x, size.y, size.z, 0.05);
}

function corners({ min, max }: THREE.Box3): THREE.Vector3[] {
  const points: THREE.Vector3[] = [];
  for (const x of [min.x, max.x]) {
    for (const y of [min.y, max.y]) {
      for (const z of [min.z, max.z]) {
        points.push(new THREE.Vector3(x, y, z));
      }
    }
  }
  return points;
}

/** Whether a link is a virtual tip, without mass. It is not drawn. */
function isVirtual(link: URDFLink): boolean {
  const isLeaf = !link.children.some((node) => "isURDFJoint" in node);
  return isLeaf && !(link.inertial?.mass > 0);
}

export async function makeFigure(urdf: string): Promise<Figure> {
  const pending: Promise<void>[] = [];
  const missing = new Map<string, MissingMesh>();
  const loader = new URDFLoader();
  loader.loadMeshCb = (url, _manager, material, done) => {
    pending.push(
      loadMesh(url, material).then((loaded) => {
        if (loaded.object !== undefined) {
          done(loaded.object);
        }
        loaded.missing.forEach((file) => missing.set(`${file.name} ${file.reason}`, file));
      }),
    );
  };
  const robot = loader.parse(urdf);
  await Promise.all(pending);
  robot.updateMatrixWorld(true);
  const scale = extent(robot);
  const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.62 });
  const boxes: Figure["boxes"] = [];
  const isDrawn = links(robot).some((link) => drawVisuals(link).length > 0);
  for (const link of links(robot)) {
    const visuals = drawVisuals(link);
    link.children
      .filter((node) => "isURDFVisual" in node)
      .forEach((node) => node.removeFromParent());
    const useBones = visuals.length === 0 && !(isDrawn && isVirtual(link));
    const parts = useBones
      ? drawBones(link, scale).map((geometry) => ({ geometry: sameAttributes(geometry) }))
      : visuals;
    const box = new THREE.Box3();
    for (const mesh of mergeParts(parts, material)) {
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.geometry.computeBoundingBox();
      box.union(mesh.geometry.boundingBox!);
      link.add(mesh);
    }
    if (!box.isEmpty()) {
      boxes.push({ link, corners: corners(box) });
    }
  }
  Object.values(robot.joints).forEach((joint: URDFJoint) => (joint.ignoreLimits = true));
  return { robot, boxes, scale, missing: [...missing.values()] };
}

/** A transparent copy, invisible where it coincides with the solid robot. */
export function makeGhost(figure: Figure, colour: THREE.Color): URDFRobot {
  const ghost = figure.robot.clone();
  const offset = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 8 };
  const depth = new THREE.MeshBasicMaterial({ colorWrite: false, ...offset });
  const tint = new THREE.MeshStandardMaterial({
    color: colour,
    transparent: true,
    opacity: 0.42,
    depthWrite: false,
    roughness: 0.8,
    ...offset,
    depthFunc: THREE.LessEqualDepth,
  });
  const meshes: THREE.Mesh[] = [];
  ghost.traverse((node) => {
    if (node instanceof THREE.Mesh) {
      meshes.push(node);
    }
  });
  for (const mesh of meshes) {
    // Draw depth first, then colour, so that only the front surface is visible.
    const front = new THREE.Mesh(mesh.geometry, depth);
    front.renderOrder = 1;
    mesh.material = tint;
    mesh.renderOrder = 2;
    mesh.castShadow = mesh.receiveShadow = false;
    mesh.parent!.add(front);
  }
  Object.values(ghost.joints).forEach((joint: URDFJoint) => (joint.ignoreLimits = true));
  ghost.userData["tint"] = tint;
  return ghost;
}

export function setPose(robot: URDFRobot, pose: PoseTrack): void {
  for (let i = 0; i < pose.names.length; i++) {
    robot.joints[pose.names[i]!]?.setJointValue(pose.position[i] ?? null);
  }
}

/** Height of the lowest drawn point in the scene. */
export function lowest(figure: Figure): number {
  const point = new THREE.Vector3();
  let low = Infinity;
  for (const { link, corners: points } of figure.boxes) {
    for (const corner of points) {
      low = Math.min(low, point.copy(corner).applyMatrix4(link.matrixWorld).z);
    }
  }
  return Number.isFinite(low) ? low : 0;
}

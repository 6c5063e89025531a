// The shapes by which collisions are checked: those of <collision>, or of <visual> for a link that has none; of a mesh
// its convex hull.
import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import URDFLoader, { type URDFJoint, type URDFLink, type URDFRobot } from "urdf-loader";
import { loadMesh } from "./meshes";

const POINTS_MAX = 20000; // of a mesh: a hull of more takes too long, and looks the same
const EDGE_DEG = 25; // flatter edges are not drawn

function pointsOf(mesh: THREE.Mesh): THREE.Vector3[] {
  const position = mesh.geometry.getAttribute("position");
  const step = Math.ceil(position.count / POINTS_MAX);
  const points: THREE.Vector3[] = [];
  for (let i = 0; i < position.count; i += step) {
    points.push(new THREE.Vector3().fromBufferAttribute(position, i));
  }
  return points;
}

/** Few points, or all in a plane, have no hull. */
function hullOf(mesh: THREE.Mesh): THREE.BufferGeometry | undefined {
  const points = pointsOf(mesh);
  const hull = points.length < 4 ? undefined : new ConvexGeometry(points);
  return (hull?.getAttribute("position").count ?? 0) > 0 ? hull : undefined;
}

/** An extension of URDF that the loader does not know. */
function capsuleOf(shape: Element): THREE.BufferGeometry | undefined {
  const capsule = shape.querySelector("geometry > capsule");
  const radius = Number(capsule?.getAttribute("radius"));
  const length = Number(capsule?.getAttribute("length"));
  return radius > 0 && length > 0
    ? new THREE.CapsuleGeometry(radius, length, 6, 20).rotateX(Math.PI / 2)
    : undefined;
}

/** The geometries of one <collision> or <visual>, in the frame of its link. */
function shapesOf(node: THREE.Object3D, toLink: THREE.Matrix4): THREE.BufferGeometry[] {
  const { urdfNode } = node as unknown as { urdfNode: Element };
  const isMesh = urdfNode.querySelector("geometry > mesh") !== null;
  const shapes: THREE.BufferGeometry[] = [];
  const add = (geometry: THREE.BufferGeometry | undefined, from: THREE.Object3D) => {
    if (geometry !== undefined) {
      const flat = geometry.index === null ? geometry.clone() : geometry.toNonIndexed();
      flat.deleteAttribute("uv");
      shapes.push(flat.applyMatrix4(toLink.clone().multiply(from.matrixWorld)));
    }
  };
  add(capsuleOf(urdfNode), node);
  node.traverse((child) => {
    if (child instanceof THREE.Mesh && child.geometry.getAttribute("position")?.count > 0) {
      add(isMesh ? hullOf(child) : (child.geometry as THREE.BufferGeometry), child);
    }
  });
  return shapes;
}

/** All of a link, and its shapes removed from it. */
function takeShapes(link: URDFLink): THREE.BufferGeometry | null {
  const colliders = link.children.filter((node) => "isURDFCollider" in node);
  const visuals = link.children.filter((node) => "isURDFVisual" in node);
  const toLink = new THREE.Matrix4().copy(link.matrixWorld).invert();
  const shapes = (colliders.length > 0 ? colliders : visuals).flatMap((node) =>
    shapesOf(node, toLink),
  );
  [...colliders, ...visuals].forEach((node) => node.removeFromParent());
  return shapes.length === 0 ? null : mergeGeometries(shapes);
}

interface Drawn {
  fill: THREE.Mesh;
  edge: THREE.LineSegments;
}

export class Bodies {
  /** By link. */
  private readonly drawn = new Map<string, Drawn>();
  private readonly fills: Record<Look, THREE.MeshBasicMaterial>;
  private readonly edges: Record<Look, THREE.LineBasicMaterial>;

  private constructor(readonly robot: URDFRobot) {
    const fill = (opacity: number) =>
      new THREE.MeshBasicMaterial({ transparent: true, opacity, depthWrite: false });
    const edge = (opacity: number) => new THREE.LineBasicMaterial({ transparent: true, opacity });
    this.fills = { plain: fill(0.16), near: fill(0.34), blocked: fill(0.5) };
    this.edges = { plain: edge(0.55), near: edge(0.9), blocked: edge(1) };
    for (const [name, link] of Object.entries(robot.links)) {
      const geometry = takeShapes(link);
      if (geometry !== null) {
        this.add(name, link, geometry);
      }
    }
    Object.values(robot.joints).forEach((joint: URDFJoint) => (joint.ignoreLimits = true));
    robot.visible = false;
  }

  /** Meshes that cannot be read are left out, as in the checks. */
  static async load(urdf: string): Promise<Bodies> {
    const pending: Promise<void>[] = [];
    const loader = new URDFLoader();
    loader.parseCollision = true;
    loader.loadMeshCb = (url, _manager, material, done) => {
      pending.push(
        loadMesh(url, material).then((loaded) => {
          if (loaded instanceof THREE.Object3D) {
            done(loaded);
          }
        }),
      );
    };
    const robot = loader.parse(urdf);
    await Promise.all(pending);
    robot.updateMatrixWorld(true);
    return new Bodies(robot);
  }

  private add(name: string, link: URDFLink, geometry: THREE.BufferGeometry): void {
    const fill = new THREE.Mesh(geometry, this.fills.plain);
    const edge = new THREE.LineSegments(
      new THREE.EdgesGeometry(geometry, EDGE_DEG),
      this.edges.plain,
    );
    fill.renderOrder = 3;
    edge.renderOrder = 4;
    link.add(fill, edge);
    this.drawn.set(name, { fill, edge });
  }

  /** How many links have shapes. */
  get count(): number {
    return this.drawn.size;
  }

  paint(plain: string, near: string, blocked: string): void {
    for (const materials of [this.fills, this.edges]) {
      materials.plain.color.set(plain);
      materials.near.color.set(near);
      materials.blocked.color.set(blocked);
    }
  }

  /** Show two links in another colour. */
  mark(links: string[], isBlocked: boolean): void {
    for (const [name, { fill, edge }] of this.drawn) {
      const look = !links.includes(name) ? "plain" : isBlocked ? "blocked" : "near";
      fill.material = this.fills[look];
      edge.material = this.edges[look];
    }
  }
}

type Look = "plain" | "near" | "blocked";

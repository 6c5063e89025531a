// Loads the meshes of a robot. Missing and broken files are reported, and their links are drawn as
// bones.
import * as THREE from "three";
import { ColladaLoader } from "three/examples/jsm/loaders/ColladaLoader.js";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { MTLLoader } from "three/examples/jsm/loaders/MTLLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import { MeshFiles } from "./mesh_files";

export interface MissingMesh {
  /** File name. */
  name: string;
  /** Why it cannot be shown, and where the server searched. */
  reason: string;
}

const REASON_MAX = 2000; // characters

/** An `.obj` with the colours and textures of its `.mtl`. Without that file it has those of the URDF. */
async function loadObj(url: string, manager: THREE.LoadingManager): Promise<THREE.Object3D> {
  const text = (await new THREE.FileLoader(manager).loadAsync(url)) as string;
  const name = /^\s*mtllib\s+(.+?)\s*$/m.exec(text)?.[1];
  const beside = url.slice(0, url.lastIndexOf("/") + 1);
  const materials =
    name === undefined
      ? undefined
      : await new MTLLoader(manager).loadAsync(beside + encodeURI(name)).catch(() => undefined);
  if (materials === undefined) {
    return new OBJLoader().parse(text.replace(/^\s*usemtl\b.*$/gm, ""));
  }
  materials.preload();
  return new OBJLoader().setMaterials(materials).parse(text);
}

async function load(
  url: string,
  material: THREE.Material,
  manager: THREE.LoadingManager,
): Promise<THREE.Object3D | undefined> {
  const extension = /\.(\w+)$/.exec(url)?.[1]?.toLowerCase();
  switch (extension) {
    case "stl":
      return new THREE.Mesh(await new STLLoader().loadAsync(url), material);
    case "dae":
      return (await new ColladaLoader(manager).loadAsync(url))?.scene;
    case "obj":
      return await loadObj(url, manager);
    case "glb":
    case "gltf":
      return (await new GLTFLoader(manager).loadAsync(url)).scene;
    default:
      throw new Error(
        extension === undefined
          ? "The file was not found."
          : `Meshes of type .${extension} cannot be shown; use .stl, .dae, .obj, .glb or .gltf.`,
      );
  }
}

/** Whether a material has no colour of its own. */
const isPlain = (material: THREE.Material): boolean =>
  material.name === "" &&
  "color" in material &&
  material.color instanceof THREE.Color &&
  material.color.getHex() === 0xffffff &&
  !("map" in material && material.map !== null);

/** Keep the materials of the file, marked as linear colours; where it has none, use the material of the
 *  URDF. */
function takeMaterials(object: THREE.Object3D, material: THREE.Material): void {
  object.traverse((node) => {
    if (!(node instanceof THREE.Mesh)) {
      return;
    }
    const own = (
      Array.isArray(node.material) ? node.material : [node.material]
    ) as THREE.Material[];
    const chosen = own.map((one) => (one === material || isPlain(one) ? material : one));
    chosen
      .filter((one) => one !== material)
      .forEach((one) => (one.userData["isWorkingColour"] = true));
    node.material = chosen.length === 1 ? chosen[0]! : chosen;
  });
}

/** The reason from the server, which includes where it searched. */
async function explain(url: string, error: unknown): Promise<string> {
  const answer = url === "" ? undefined : await fetch(url).catch(() => undefined);
  if (answer !== undefined && !answer.ok) {
    const isText = /^(text\/plain|application\/json)/.test(
      answer.headers.get("content-type") ?? "",
    );
    const text = isText ? (await answer.text()).trim().slice(0, REASON_MAX) : "";
    return text || `The server returned status ${answer.status}.`;
  }
  return error instanceof Error ? error.message : String(error);
}

const nameOf = (url: string): string => decodeURIComponent(url.split("/").at(-1) ?? "");

/** A mesh with what it names, and the files that are missing. */
export interface LoadedMesh {
  /** undefined: the mesh itself is missing */
  object?: THREE.Object3D;
  missing: MissingMesh[];
}

export async function loadMesh(url: string, material: THREE.Material): Promise<LoadedMesh> {
  const files = new MeshFiles();
  try {
    const object = await load(url, material, files.manager);
    await files.settled();
    if (object === undefined) {
      throw new Error("The file cannot be read.");
    }
    takeMaterials(object, material);
    const missing = [...files.failed].map(async (file) => ({
      name: nameOf(file),
      reason: await explain(file, `${nameOf(url)} names it.`),
    }));
    return { object, missing: await Promise.all(missing) };
  } catch (error) {
    const name = nameOf(url) || "a mesh without a file";
    return { missing: [{ name, reason: await explain(url, error) }] };
  }
}

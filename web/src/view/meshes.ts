// Loads the meshes that a robot names. A file that is missing or broken is no error: its link gets
// bones.
import * as THREE from "three";
import { ColladaLoader } from "three/examples/jsm/loaders/ColladaLoader.js";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";

export async function loadMesh(
  url: string,
  material: THREE.Material,
): Promise<THREE.Object3D | undefined> {
  const extension = /\.(\w+)$/.exec(url)?.[1]?.toLowerCase();
  try {
    switch (extension) {
      case "stl":
        return new THREE.Mesh(await new STLLoader().loadAsync(url), material);
      case "dae":
        return (await new ColladaLoader().loadAsync(url))?.scene;
      case "obj":
        return await new OBJLoader().loadAsync(url);
      case "glb":
      case "gltf":
        return (await new GLTFLoader().loadAsync(url)).scene;
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

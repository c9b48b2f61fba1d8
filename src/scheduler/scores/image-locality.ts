import type { Minor } from "../../model/cluster.ts";
import type { PodTemplate } from "../../model/pod-template.ts";
import type { NodeView } from "../../model/view.ts";
import { notNormalized, type Score } from "../framework.ts";
import { maxScore, scaledDown } from "./normalize.ts";

const megabyte = 1024 * 1024;
const leastBytes = 23 * megabyte;
const mostBytesEach = 1000 * megabyte;

/**
 * The bytes of the pod's images a node already has, weighed by how many nodes have them, so that pods are not all drawn to
 * the one node that has the image. Image volumes count from 1.36 on, and raise the ceiling from 1.37 on.
 * Mirrors: plugins/imagelocality, Kubernetes 1.34 to 1.37.
 */
export const imageLocality: Score = {
  name: "ImageLocality",
  prepare({ pod: { template }, minor, view }) {
    const raw = imageScore({ template, minor, nodes: view.nodes }) ?? (() => 0);
    return { raw, normalize: notNormalized };
  },
};

/** Node → its score, for any pod of a template. Null: no node has any of its images, and all score 0. */
export function imageScore({ template, minor, nodes }: Asked): ((node: Pick<NodeView, "node">) => number) | null {
  const names = [...template.images, ...(minor >= 36 ? template.imageVolumes : [])].map(normalized);
  const counted = template.images.length + (minor >= 37 ? template.imageVolumes.length : 0);
  const { known, total } = imagesOf(nodes);
  const mostBytes = mostBytesEach * counted;
  const parts = names.flatMap((name) => {
    const image = known.get(name);
    return image === undefined ? [] : [{ name, bytes: Math.trunc(image.bytes * (image.nodes / total)) }];
  });
  if (parts.length === 0) return null;
  return ({ node }) => {
    let sum = 0;
    for (const { name, bytes } of parts) if (node.images.has(name)) sum += bytes;
    const clamped = sum < leastBytes ? leastBytes : Math.min(sum, mostBytes);
    return scaledDown(clamped - leastBytes, maxScore, mostBytes - leastBytes);
  };
}

interface Asked {
  readonly template: PodTemplate;
  readonly minor: Minor;
  readonly nodes: readonly NodeView[];
}

/** Image name → its size, as the first node that has it says, and how many nodes have it. */
interface Images {
  readonly known: ReadonlyMap<string, { readonly bytes: number; readonly nodes: number }>;
  readonly total: number;
}

/** By the list itself: it is another when a node comes or goes, and a node's images do not change. */
const imagesByNodes = new WeakMap<readonly NodeView[], Images>();

function imagesOf(nodes: readonly NodeView[]): Images {
  const before = imagesByNodes.get(nodes);
  if (before !== undefined) return before;
  const known = new Map<string, { bytes: number; nodes: number }>();
  for (const { node } of nodes) {
    node.images.forEach((bytes, name) => {
      const image = known.get(name);
      if (image === undefined) known.set(name, { bytes, nodes: 1 });
      else image.nodes += 1;
    });
  }
  const images = { known, total: nodes.length };
  imagesByNodes.set(nodes, images);
  return images;
}

/** A name without tag or digest means `latest`. */
function normalized(name: string): string {
  return name.lastIndexOf(":") <= name.lastIndexOf("/") ? `${name}:latest` : name;
}

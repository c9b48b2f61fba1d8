import { rows } from "../../../test/support/rows.ts";
import { incoming, node, scores } from "../../../test/support/scheduling.ts";

// Read from plugins/imagelocality/image_locality.go, Kubernetes 1.34.4, 1.36.3 and 1.37.2.
const megabyte = 1024 * 1024;
const image = (name: string, megabytes: number) => ({ names: [name], sizeBytes: megabytes * megabyte });
const running = (...images: readonly string[]) =>
  incoming({ spec: { containers: images.map((name, i) => ({ name: `c${i}`, image: name })) } });
const has = (name: string, ...images: readonly ReturnType<typeof image>[]) => node(name, { images });
const withVolume = incoming({
  spec: {
    containers: [{ name: "main", image: "r/app:v1" }],
    volumes: [{ name: "weights", image: { reference: "r/weights:v1" } }],
  },
});

rows("ImageLocality score", scores("ImageLocality"), [
  [
    // 800 MB on 1 of 2 nodes counts 400: 100 * (400 - 23) / (1000 - 23).
    "bytes, weighed by how many nodes have them",
    { objects: [has("a", image("r/app:v1", 800)), has("b"), running("r/app:v1")] },
    { a: [38, 38], b: [0, 0] },
  ],
  [
    "the same everywhere is full weight",
    { objects: [has("a", image("r/app:v1", 800)), has("b", image("r/app:v1", 800)), running("r/app:v1")] },
    { a: [79, 79], b: [79, 79] },
  ],
  [
    "a name without a tag is latest, a registry's port is no tag",
    { objects: [has("a", image("host:5000/app:latest", 2000)), has("b"), running("host:5000/app")] },
    { a: [100, 100], b: [0, 0] },
  ],
  [
    "less than 23 MB is nothing",
    { objects: [has("a", image("r/app:v1", 40)), has("b"), running("r/app:v1")] },
    { a: [0, 0], b: [0, 0] },
  ],
  [
    // The first node's size holds for all: 500.
    "every container raises the ceiling, init containers too",
    { objects: [has("a", image("r/app:v1", 1000)), has("b"), running("r/app:v1", "r/other:v1")] },
    { a: [24, 24], b: [0, 0] },
  ],
  [
    "image volumes do not count up to 1.35",
    { objects: [has("a", image("r/weights:v1", 1000)), has("b"), withVolume], minor: 35 },
    { a: [0, 0], b: [0, 0] },
  ],
  [
    // 100 * (500 - 23) / (1000 - 23)
    "they count in 1.36",
    { objects: [has("a", image("r/weights:v1", 1000)), has("b"), withVolume] },
    { a: [48, 48], b: [0, 0] },
  ],
  [
    // 100 * (500 - 23) / (2000 - 23)
    "and raise the ceiling from 1.37 on",
    { objects: [has("a", image("r/weights:v1", 1000)), has("b"), withVolume], minor: 37 },
    { a: [24, 24], b: [0, 0] },
  ],
]);

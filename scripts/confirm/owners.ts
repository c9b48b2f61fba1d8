import { type ObjectRef, objectKey } from "../../src/model/key.ts";
import type { Choosing } from "../../src/patch/choose.ts";
import { asWireObject } from "../../src/patch/kept-objects.ts";
import { placeOf } from "../../src/patch/place.ts";
import { sameRef, sitesOf } from "../../src/patch/site.ts";
import { endpointsOf } from "../../src/route/build.ts";
import { projected } from "../../src/systems/projections/projection.ts";
import { projectionOf } from "../../src/systems/projections/registry.ts";
import { sameJson } from "../../src/wire/object-path.ts";
import type { WireObject } from "../../src/wire/snapshot.ts";
import { pathOf } from "./load.ts";
import { type Plane, pause } from "./plane.ts";

interface Pair {
  readonly owner: ObjectRef;
  readonly made: ObjectRef;
  before: WireObject;
}

/**
 * Stands in for the controllers of owners that are not run here (KServe): what an owner's change becomes in its workloads is what
 * the projections say, which are held against recordings of those controllers. A budget of its own is made as well.
 */
export class Owners {
  readonly #plane: Plane;
  readonly #pairs: readonly Pair[];
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(plane: Plane, { bench }: Choosing) {
    this.#plane = plane;
    this.#pairs = sitesOf({ ...bench, endpoints: endpointsOf(bench.cluster).endpoints }).flatMap((site) => {
      const place = placeOf(site, "replicas", bench.kept);
      if (!place.can || sameRef(place.target, site.hop.ref) || projectionOf(place.target) === undefined) return [];
      const before = bench.kept.get(place.target);
      return before === undefined ? [] : [{ owner: place.target, made: site.hop.ref, before }];
    });
  }

  start(): void {
    this.#running = this.#loop();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #loop(): Promise<void> {
    for (; !this.#stopped; await pause(100)) for (const pair of this.#pairs) await this.#follow(pair);
  }

  async #follow(pair: Pair): Promise<void> {
    const projection = projectionOf(pair.owner);
    const after = await this.#read(pair.owner);
    if (projection === undefined || after === null || sameJson(after["spec"], pair.before["spec"])) return;
    const made = await this.#read(pair.made);
    if (made === null) return;
    const wanted = projected(projection, { before: pair.before, after }, made);
    const { body, status } = await this.#plane.call("PUT", pathOf(wanted), wanted);
    if (status >= 300) throw new Error(`${objectKey(pair.made)}: ${JSON.stringify(body).slice(0, 300)}`);
    for (const object of projection.objects(after, made)) {
      const path = pathOf(object);
      await this.#plane.call("PATCH", `${path}?fieldManager=owners&force=true`, object, "application/apply-patch+yaml");
    }
    pair.before = after;
  }

  async #read(ref: ObjectRef): Promise<WireObject | null> {
    const like: WireObject = {
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: { name: ref.name, namespace: ref.namespace },
    };
    const { status, body } = await this.#plane.call("GET", pathOf(like));
    return status === 200 ? asWireObject(body, like) : null;
  }
}

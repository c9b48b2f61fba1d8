import { knowSignImages, type SignImages, signImagesOf } from "../maintenance/recognise.ts";
import { savedFormOf } from "../model/build.ts";
import type { Cluster } from "../model/cluster.ts";
import { knowNewest, newestMs } from "../model/newest.ts";
import { knowOwnedWorkloads, type OwnedWorkloads, ownedWorkloadsOf } from "../model/owned-workloads.ts";
import { endpointsOf, knowRoutes, type Routes } from "../route/build.ts";
import { savedRoutes } from "../route/saved-routes.ts";
import { asItStands } from "../sim/as-it-stands.ts";
import { knowRestless, type Restless, restlessOf, savedRestless } from "../sim/at-rest.ts";
import { allLoads, knowLoads, type NodeLoad, savedLoads } from "../sim/node-loads.ts";
import { hasMadeUp, knowMadeUp } from "../sim/pods-read.ts";
import { type Codec, CodecReader, CodecWriter, fields, flag, list, map, number, text } from "../wire/codec.ts";
import type { Written } from "../wire/snapshot.ts";

/** What every question about a cluster asks first, whatever it is about. */
interface Known {
  readonly routes: Routes;
  readonly restless: Restless;
  readonly signImages: SignImages;
  readonly owned: OwnedWorkloads;
  readonly newestMs: number;
  readonly hasMadeUp: boolean;
  readonly loads: Map<string, NodeLoad>;
}

const known: Codec<Known> = fields<Known>({
  routes: savedRoutes,
  restless: savedRestless,
  signImages: map(list(text)),
  owned: map(list(text)),
  newestMs: number,
  hasMadeUp: flag,
  loads: savedLoads,
});

/** To be kept beside the cluster. */
export function writtenKnown(cluster: Cluster, file: string): Written {
  const writer = new CodecWriter(file);
  const found: Known = {
    routes: endpointsOf(cluster),
    restless: restlessOf(cluster),
    signImages: signImagesOf(cluster),
    owned: ownedWorkloadsOf(cluster),
    newestMs: newestMs(cluster),
    hasMadeUp: hasMadeUp(cluster),
    loads: allLoads(asItStands(cluster).nodes),
  };
  writer.record(() => known.write(writer, found));
  return writer.written;
}

/** What was kept beside this cluster need not be found again. */
export function recall(cluster: Cluster, file: string): void {
  const written = savedFormOf(cluster)?.known ?? null;
  const read = written === null ? null : new CodecReader(file, written).whole(known);
  if (read === null) return;
  knowRoutes(cluster, read.routes);
  knowRestless(cluster, read.restless);
  knowSignImages(cluster, read.signImages);
  knowOwnedWorkloads(cluster, read.owned);
  knowNewest(cluster, read.newestMs);
  knowMadeUp(cluster, read.hasMadeUp);
  knowLoads(cluster, read.loads);
}

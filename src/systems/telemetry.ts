import { plainPart } from "./part-rules.ts";
import { noEntries, type System } from "./system.ts";

/** Collectors of metrics and traces: requests never pass them. */
export const telemetry: System = {
  name: "telemetry",
  title: "OpenTelemetry collectors",
  about: "Deployments that run an OpenTelemetry collector. Off the path.",
  gateways: [],
  entries: noEntries,
  parts: [
    plainPart({
      hop: "collector",
      component: "Collector",
      whileGone: "Metrics and traces have a gap.",
      match: { kinds: ["Deployment"], images: ["opentelemetry-collector", "otel-collector", "otel/"] },
    }),
  ],
};

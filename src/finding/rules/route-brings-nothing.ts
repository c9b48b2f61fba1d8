import { findingRule } from "../finding-rule.ts";
import { refText } from "../knob-text.ts";

/** A route that names an endpoint and brings it no request: it asks for a listener nobody has, or gives it weight 0. */
export const routeBringsNothing = findingRule({
  name: "route-brings-nothing",
  code: "HF036",
  title: "A route that brings the endpoint nothing",
  explain: `A route of the Gateway API names the endpoint, and yet no request comes that way. Either a parentRef of it asks for a listener (sectionName or port) that its Gateway does not have: then the route is not attached by that, and where no other parentRef attaches it the gateway answers 404. Or the weight of the endpoint in it is 0: then all requests go to the other backends.

A gateway that a route is not attached to is not part of the endpoint's path here. Where weight 0 is all that any route gives it, the endpoint serves nothing by intent: it is idle, and not judged. Annotate it with holdfast.dev/endpoint if others call it directly.

A listener that is not there is a warning, because it is a mistake. Weight 0 is a note.`,
  messages: {
    noListener: (f: { route: string; asked: string; of: string }) => ({
      message: `${f.route} asks for listener ${f.asked} of ${f.of}, which has none such: nothing comes by that parentRef, and where it has no other it is not attached.`,
      remedy: `Name a listener of ${f.of} in the route's parentRefs, or add the listener.`,
    }),
    noWeight: (f: { route: string; endpoint: string }) => ({
      message: `${f.route} gives ${f.endpoint} weight 0: it gets none of the route's requests.`,
      remedy: "Before it is given weight, ask again: what serves it is judged only then.",
    }),
  },
  look: (scene, say) =>
    scene.endpoints.flatMap(({ namespace, name, ref, unheeded }) =>
      unheeded.map(({ route, source, asked, of }) => {
        const endpoint = `${namespace}/${name}`;
        const at = { endpoint, component: refText(ref), source };
        return of === null
          ? say.about({ ...at, severity: "note" }, "noWeight", { route: refText(route), endpoint })
          : say.about({ ...at, severity: "warning" }, "noListener", { route: refText(route), asked, of: refText(of) });
      }),
    ),
});

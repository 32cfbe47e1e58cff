/** Deliberate faults, each in one part that the program is given, to see that they are noticed. */
import type { Domain } from "../../src/hosting/domains/domain.ts";
import type { EdgeView, Route, ServedCertificate } from "../../src/hosting/domains/edgeView.ts";
import type { DnsAnswer, Resolver } from "../../src/hosting/domains/resolver.ts";
import type { SimulatedStores, Worsening } from "./simulation.ts";
import { sitesHost } from "./zones.ts";

/** The same object with some of its methods replaced. */
function withChanges<T extends object>(inner: T, changes: Partial<T>): T {
  return new Proxy(inner, {
    get(object, name) {
      if (name in changes) return Reflect.get(changes, name);
      const value = Reflect.get(object, name, object) as unknown;
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}

const noSuchName: DnsAnswer = {
  kind: "absent",
  reason: "nxdomain",
  records: [],
  rememberedSeconds: undefined,
};
const definite = (answer: DnsAnswer) => (answer.kind === "unreachable" ? noSuchName : answer);

/** Shows what it once showed, whatever happens. */
function unforgetting(edgeView: EdgeView): EdgeView {
  const routes = new Map<string, Route>();
  const certificates = new Map<string, ServedCertificate>();
  return withChanges(edgeView, {
    async route(host) {
      const route = await edgeView.route(host);
      if (route !== undefined) routes.set(host, route);
      return routes.get(host);
    },
    async certificate(host) {
      const certificate = await edgeView.certificate(host);
      if (certificate !== undefined) certificates.set(host, certificate);
      return certificates.get(host);
    },
  });
}

/** Shows every name that somebody attached. */
function hasty(edgeView: EdgeView, { domains }: SimulatedStores): EdgeView {
  return withChanges(edgeView, {
    async route(host) {
      const [claim] = await domains.claimsOn(host);
      const primary = undefined;
      if (claim === undefined) return undefined;
      return { kind: "site", project: claim.domain.project, deployment: "any", primary };
    },
  });
}

const held = (domain: Domain): Domain =>
  domain.ownership.kind === "proof_needed" && domain.dns.checkedAtMs !== undefined
    ? { ...domain, ownership: { kind: "held" } }
    : domain;

/** Each with the rule that it must be seen to break. */
function withoutOrder(domain: Domain): Domain {
  const { certificate } = domain;
  const issuance = certificate.issuance && { ...certificate.issuance, order: undefined };
  return { ...domain, certificate: { ...certificate, issuance } };
}

export const worsenings: Readonly<Record<string, { worsen: Partial<Worsening>; breaks: string }>> =
  {
    "a store that lets everybody write, lease or not": {
      worsen: {
        store: (store) =>
          withChanges(store, { change: ({ lease: _lost, ...change }) => store.change(change) }),
      },
      breaks: "a worker that lost its lease changes nothing",
    },
    "a store that does not mind what was written meanwhile": {
      worsen: {
        store: (store) =>
          withChanges(store, {
            async change(change) {
              const fresh = await store.get(change.domain.id);
              return store.change({ ...change, version: fresh?.version ?? change.version });
            },
          }),
      },
      breaks: "nobody overwrites what they have not seen",
    },
    "a worker that forgets its orders": {
      worsen: {
        workerStore: (store) =>
          withChanges(store, {
            change: (change) => store.change({ ...change, domain: withoutOrder(change.domain) }),
          }),
      },
      breaks: "an order that was stored is resumed",
    },
    "a failure of DNS that counts as an answer": {
      worsen: {
        resolver: (resolver): Resolver => ({
          ...resolver,
          ask: async (server, name, type) => definite(await resolver.ask(server, name, type)),
        }),
      },
      breaks: "what is right is never called wrong",
    },
    "a recursor that nobody asks": {
      worsen: {
        resolver: (resolver): Resolver => ({
          ...resolver,
          async lookUp(name, type) {
            const found = await resolver.nameServers(name);
            const [server] = found.kind === "found" ? found.servers : [];
            return server === undefined
              ? resolver.lookUp(name, type)
              : resolver.ask(server, name, type);
          },
        }),
      },
      breaks: "only what was seen to be right is called right",
    },
    "a store that gives a name to who asks first": {
      worsen: {
        serviceStore: (store) =>
          withChanges(store, {
            add: (domain, ...rest) =>
              store.add({ ...domain, ownership: { kind: "held" } }, ...rest),
          }),
      },
      breaks: "nobody holds a name before DNS shows that it is theirs",
    },
    "one target for all": {
      worsen: {
        serviceStore: (store) =>
          withChanges(store, {
            add: (domain, ...rest) =>
              store.add({ ...domain, target: `edge-shared.${sitesHost}` }, ...rest),
          }),
      },
      breaks: "no two owners have the same target",
    },
    "a proof that nobody looks for": {
      worsen: {
        workerStore: (store) =>
          withChanges(store, {
            change: (change) => store.change({ ...change, domain: held(change.domain) }),
          }),
      },
      breaks: "a name is proven by its DNS",
    },
    "CAA records that nobody sees": {
      worsen: {
        resolver: (resolver): Resolver => ({
          ...resolver,
          async ask(server, name, type) {
            const answer = await resolver.ask(server, name, type);
            return type === "CAA" ? noSuchName : answer;
          },
        }),
      },
      breaks: "no order past CAA",
    },
    "attempts that nobody counts": {
      worsen: { workerStore: (store) => withChanges(store, { attempts: () => [] }) },
      breaks: "at most four failed authorizations an hour",
    },
    "leases that are not extended": {
      worsen: { workerStore: (store) => withChanges(store, { extendLease: async () => true }) },
      breaks: "one order at a time for a name",
    },
    "leases that others take at will": {
      worsen: {
        store: (store) =>
          withChanges(store, {
            takeDue: (request) => store.takeDue({ ...request, untilMs: request.nowMs }),
          }),
      },
      breaks: "what is leased is not taken",
    },
    "edges that forget nothing": {
      worsen: { edgeView: unforgetting },
      breaks: "nothing is served that must not be",
    },
    "edges that show what nobody verified": {
      worsen: { edgeView: hasty },
      breaks: "nothing is served that must not be",
    },
    "a vault that seals nothing": {
      worsen: { vault: (vault) => withChanges(vault, { seal: (text) => text }) },
      breaks: "no private key is stored in the clear",
    },
  };

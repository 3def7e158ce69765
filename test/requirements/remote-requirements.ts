/** Requirements of training on a server with the Tinker API. */
import type { Requirement } from "./requirement.ts";

const ENGINE = "packages/engine/src/remote";

export const REMOTE_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "remote:same-port",
    source: "docs/design.md, decision 5; docs/how-to/remote-engine.md",
    behavior:
      "With a URL as the device, training gives the same outputs, gradient norms and parameters as on this machine, for the whole loop.",
    tests: [
      `${ENGINE}/remote-engine.test.ts > %s: outputs, norms and parameters match the local engine's`,
      `${ENGINE}/remote-engine.test.ts > derivatives of both log-probs add up`,
      `${ENGINE}/remote-wire.test.ts > a tree is sent as one datum per path, with weights of shared tokens on the first path only`,
      `${ENGINE}/remote-engine.test.ts > a URL as device connects to a server`,
      "trainer/src/edge-training/remote-training.test.ts > simulate gives the same results on a server as on this machine",
    ],
  },
  {
    id: "remote:moves",
    source: "docs/how-to/remote-engine.md",
    behavior:
      "A learned policy moves to a server over a base with its adapter merged in, and back. Nothing is learned twice, base files are not sent again, and a server with the original base is refused.",
    tests: [
      "trainer/src/edge-training/remote-training.test.ts > to a server over the merged base and back, with the saved state",
      "trainer/src/edge-training/remote-training.test.ts > to a server over the merged base, with a fresh state",
      "trainer/src/edge-training/remote-training.test.ts > a server with the original base is refused, and the error says how to merge it",
      "trainer/src/edge-training/remote-training.test.ts > base files that are already on the edge are not sent again",
      "trainer/src/model/merged-base-engine.test.ts > an adapter trained over the merged base is exported as one adapter over the original base",
    ],
  },
  {
    id: "remote:refused-before",
    source: "docs/design.md, decision 2; docs/how-to/remote-engine.md",
    behavior:
      "Missing capabilities of a server are refused by name before anything runs, with an alternative. Samples that it cannot replay are skipped.",
    tests: [
      "trainer/src/edge-training/remote-training.test.ts > an entropy bonus is refused before anything runs, and the error names an alternative",
      "packages/learning/src/composition/requirements.test.ts > a stage is refused for want of %s",
      `${ENGINE}/remote-refusals.test.ts > a server that averages over weights is refused, naming SkyRL's backends that sum`,
      `${ENGINE}/remote-refusals.test.ts > a base model that differs from the local one is detected by its log-probs`,
      `${ENGINE}/remote-refusals.test.ts > a trained adapter, and one for another decoder, are refused`,
      `${ENGINE}/remote-refusals.test.ts > without a shared folder open-rl's parameters cannot be read, and capabilities() says so`,
      "trainer/src/check/trajectory-check.test.ts > sampling that an engine cannot replay is skipped with its metrics; a capable engine trains on it",
    ],
  },
  {
    id: "remote:nothing-twice",
    source:
      "SkyRL a9564572, skyrl/tinker/api.py, create_future; open-rl bfc0f090, src/server/gateway.py",
    behavior:
      "A lost response applies nothing twice: SkyRL is queried again by seq_id, and on open-rl the engine stops until a checkpoint is loaded.",
    tests: [
      `${ENGINE}/remote-failures.test.ts > SkyRL: calls whose response was lost are repeated and applied once`,
      `${ENGINE}/remote-failures.test.ts > open-rl: a refused call is retried and applied once`,
      `${ENGINE}/remote-failures.test.ts > open-rl: after a lost response to %s calls are refused until a checkpoint is loaded, which resumes exactly`,
    ],
  },
  {
    id: "remote:restart",
    source: "docs/how-to/remote-engine.md, When something fails",
    behavior:
      "A restarted server is a typed error, and training continues exactly from weights that it saved.",
    tests: [
      `${ENGINE}/remote-failures.test.ts > %s restarted (records forgotten: %s): the model is lost, and training resumes from a checkpoint`,
      `${ENGINE}/remote-engine.test.ts > %s: another engine resumes exactly from a saved checkpoint`,
      "trainer/src/edge-training/remote-training.test.ts > a run on a server publishes, survives the server's restart, and needs its adapters",
      "trainer/src/checkpoint/trainer-checkpoint.test.ts > a checkpoint on a server is read back as its location",
    ],
  },
  {
    id: "remote:unknown-server",
    source: "docs/how-to/remote-engine.md, Another server",
    behavior:
      "A server of an unknown kind is addressed as the Tinker SDK does it and used for what it can do. It is refused only for what it lacks.",
    tests: [
      `${ENGINE}/unknown-server.test.ts > %s: log-probs, norms and parameters match the local engine's, also after a checkpoint`,
      `${ENGINE}/unknown-server.test.ts > calls whose response was lost are repeated and applied once, if the server knows repeats`,
      `${ENGINE}/unknown-server.test.ts > after a call that never came, the model is lost until a checkpoint is loaded`,
      `${ENGINE}/unknown-server.test.ts > a server with %o is refused for that`,
      `${ENGINE}/unknown-server.test.ts > another alpha than the server's is refused once its adapter is read`,
    ],
  },
  {
    id: "remote:sdk",
    source: "tinker 0.25.0 d595dc2b, src/tinker",
    behavior:
      "The test server answers the published Tinker SDK: client config, protobuf passes, sequence ids, results, checkpoints and samples.",
    tests: [
      `${ENGINE}/tinker-sdk.test.ts > the SDK's recorded requests, each sent twice, count once and get the results that the SDK had`,
      `${ENGINE}/tinker-sdk.test.ts > other contents under a sequence id, unknown sessions and JSON passes are refused`,
      "packages/testing/src/tinker-server/sdk-messages.test.ts > the descriptor has the bytes of the one in the SDK's tinker_public_pb2.py",
    ],
  },
  {
    id: "remote:wire",
    source: "tinker 0.25.0 d595dc2b, src/tinker/types/client_config_response.py",
    behavior:
      "Passes are sent compressed if the server supports it, and split at the limits of a request.",
    tests: [
      `${ENGINE}/remote-wire.test.ts > %s: passes are sent as %s if the server reads gzip: %s`,
      `${ENGINE}/remote-wire.test.ts > batches are split to the limits in order, and give the same gradients`,
      `${ENGINE}/tar-archive.test.ts > a %s archive of Python's tarfile yields its regular files`,
    ],
  },
  {
    id: "remote:configuration",
    source: "docs/how-to/remote-engine.md",
    behavior:
      "The configuration files for SkyRL on Ray and open-rl on Kubernetes use existing fields and the engine's optimizer.",
    tests: [
      "test/contract/remote-configuration.test.ts > %s names only fields that exist",
      "test/contract/remote-configuration.test.ts > SkyRL's server is started with existing flags and keys",
      "test/contract/remote-configuration.test.ts > SkyRL's optimizer and adapters match the engine's",
    ],
  },
];

/**
 * The configuration files of docs/how-to/remote. Every field of the YAML exists in the cited source, and the values
 * match what the engine expects. The files are not executed, which would need GPUs and a cluster.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@waggle/protocol";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { SERVER_FLAVORS } from "../../packages/engine/src/remote/server-flavor.ts";
import {
  KUBERNETES_FIELDS,
  OPEN_RL_ENVIRONMENT,
  SKYRL_FLAGS,
  SKYRL_KEYS,
} from "./remote-fields.ts";

const FOLDER = join(import.meta.dirname, "../../docs/how-to/remote");

type Resource = { readonly [name: string]: unknown };

function resourcesOf(file: string): Resource[] {
  return parseAllDocuments(readFileSync(join(FOLDER, file), "utf8"), { uniqueKeys: true }).map(
    (document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() as Resource;
    },
  );
}

/** Paths of all leaves, with lists as `[]`. */
function pathsOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => pathsOf(entry, `${path}[]`));
  if (!isObject(value)) return [path];
  const members = Object.entries(value);
  if (members.length === 0) return [path];
  return members.flatMap(([name, member]) =>
    pathsOf(member, path === "" ? name : `${path}.${name}`),
  );
}

/** Fields that no source lists. */
function unknownFields(resources: readonly Resource[]): string[] {
  return resources.flatMap((resource) => {
    const kind = String(resource["kind"]);
    const known = (KUBERNETES_FIELDS[kind] ?? []).map(
      (pattern) =>
        new RegExp(`^${pattern.replace(/[.[\]]/g, "\\$&").replaceAll("*", "[^[\\]]+")}$`),
    );
    return pathsOf(resource)
      .filter((path) => !known.some((pattern) => pattern.test(path)))
      .map((path) => `${kind}: ${path}`);
  });
}

function kindOf(resources: readonly Resource[], kind: string): Resource[] {
  return resources.filter((resource) => resource["kind"] === kind);
}

/** The value at a path of names. */
function at(value: unknown, ...names: (string | number)[]): unknown {
  return names.reduce<unknown>(
    (inner, name) => (inner as { [name: string]: unknown })?.[name],
    value,
  );
}

const skyrl = resourcesOf("skyrl-ray.yaml");
const entrypoint = String(at(kindOf(skyrl, "RayJob")[0], "spec", "entrypoint"));
const [command = "", json = "{}"] =
  /^(.*)--backend-config '(.*)'$/.exec(entrypoint)?.slice(1) ?? [];
const keys = JSON.parse(json) as { readonly [key: string]: unknown };

const openRl = resourcesOf("open-rl-kubernetes.yaml");

test.each(["skyrl-ray.yaml", "open-rl-kubernetes.yaml"])(
  "%s names only fields that exist",
  (file) => {
    const resources = resourcesOf(file);
    expect(resources.length).toBeGreaterThan(3);
    expect(unknownFields(resources)).toEqual([]);
  },
);

test("an unknown field is found", () => {
  const [first] = resourcesOf("open-rl-kubernetes.yaml");
  expect(unknownFields([{ ...first, spec: { accessMode: "ReadWriteMany" } }])).toEqual([
    "PersistentVolumeClaim: spec.accessMode",
  ]);
  expect(unknownFields([{ ...first, kind: "Pods" }]).length).toBeGreaterThan(2);
});

test("SkyRL's server is started with existing flags and keys", () => {
  const flags = [...command.matchAll(/ --([a-z-]+)/g)].map(([, flag]) => flag);
  expect(flags.length).toBeGreaterThan(7);
  expect(flags.filter((flag) => !SKYRL_FLAGS.includes(flag ?? ""))).toEqual([]);
  expect(Object.keys(keys).length).toBeGreaterThan(10);
  expect(Object.keys(keys).filter((key) => !SKYRL_KEYS.includes(key))).toEqual([]);
  // The JAX backend averages over weights; see gradient-probe.ts.
  expect(command).toMatch(/--backend fsdp /);
});

test("SkyRL's optimizer and adapters match the engine's", () => {
  const { fixedOptimizer } = SERVER_FLAVORS.skyrl;
  const optimizer = "trainer.policy.optimizer_config";
  expect({
    beta1: at(keys[`${optimizer}.adam_betas`], 0),
    beta2: at(keys[`${optimizer}.adam_betas`], 1),
    // The default of torch.optim.AdamW; SkyRL has no key for it.
    epsilon: 1e-8,
    weightDecay: keys[`${optimizer}.weight_decay`],
    maxGradientNorm: keys[`${optimizer}.max_grad_norm`],
  }).toEqual(fixedOptimizer);
  expect(keys["trainer.algorithm.temperature"]).toBe(1);
  expect(keys["trainer.policy.model.lora.dropout"]).toBe(0);
});

test("the workers have as many GPUs as SkyRL places", () => {
  const group = at(kindOf(skyrl, "RayJob")[0], "spec", "rayClusterSpec", "workerGroupSpecs", 0);
  const container = at(group, "template", "spec", "containers", 0);
  const placed = keys["trainer.placement.policy_num_gpus_per_node"];
  expect(Number(at(container, "resources", "limits", "nvidia.com/gpu"))).toBe(placed);
  expect(at(group, "replicas")).toBe(keys["trainer.placement.policy_num_nodes"]);
  // colocate_all: one slot for each GPU of the inference engines.
  const engines = Number(keys["generator.inference_engine.num_engines"]);
  expect(engines * Number(keys["generator.inference_engine.tensor_parallel_size"])).toBe(placed);
});

test("open-rl's processes get known variables, and share model, store and folder", () => {
  const containers = kindOf(openRl, "Deployment").flatMap(
    (deployment) =>
      at(deployment, "spec", "template", "spec", "containers") as {
        env?: { name: string; value: string }[];
      }[],
  );
  const environments = containers.flatMap(({ env }) =>
    env === undefined ? [] : [Object.fromEntries(env.map(({ name, value }) => [name, value]))],
  );
  expect(environments.length).toBe(2);
  const names = environments.flatMap((environment) => Object.keys(environment));
  expect(names.filter((name) => !OPEN_RL_ENVIRONMENT.includes(name))).toEqual([]);
  for (const name of ["REDIS_URL", "BASE_MODEL", "OPEN_RL_TMP_DIR"]) {
    const values = environments.map((environment) => environment[name]);
    expect(values[0]).toBeDefined();
    expect(new Set(values).size).toBe(1);
  }
});

test.each([
  ["skyrl-ray.yaml", skyrl],
  ["open-rl-kubernetes.yaml", openRl],
])("%s: services find their pods, volumes their claims", (_, resources) => {
  const text = JSON.stringify(resources);
  for (const service of kindOf(resources, "Service")) {
    const app = String(at(service, "spec", "selector", "app"));
    expect(text).toContain(`"labels":{"app":"${app}"}`);
  }
  const claims = kindOf(resources, "PersistentVolumeClaim").map((claim) =>
    String(at(claim, "metadata", "name")),
  );
  const used = [...text.matchAll(/"claimName":"([^"]+)"/g)].map(([, name]) => name);
  expect(new Set(used)).toEqual(new Set(claims));
});

/** The operator's switches of single signals. */
import { ControlState, SignalName, StopSignalRequest, WaggleError } from "@waggle/protocol";
import { decisionOf, operatorName } from "../actor.ts";
import { unwrap } from "../answer.ts";
import { readJson } from "../body.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { EdgeContext, Endpoint, Parameter } from "../endpoint.ts";
import { answerControl } from "./control.ts";

const signalName: Parameter = {
  name: "signal",
  in: "path",
  description: "Name of a signal, such as `thumb` or `outcome:booked`.",
  schema: SignalName,
};

function signalOf(context: EdgeContext): SignalName {
  const signal = SignalName.safeParse(context.req.param("signal"));
  if (signal.success) return signal.data;
  throw new WaggleError("NOT_FOUND", "the path names no signal; list them with the control state");
}

/** `/v1/operator/stopped-signals/{signal}`. */
export const stoppedSignalEndpoints: readonly Endpoint[] = [
  {
    method: "put",
    path: "/v1/operator/stopped-signals/{signal}",
    operationId: "stopSignal",
    summary: "Trainers learn nothing more from a signal.",
    access: "operator",
    parameters: [signalName, operatorName],
    request: StopSignalRequest,
    responses: { 200: ControlState },
    handle: async (context) => {
      const { reason } = await readJson(context.req.raw, StopSignalRequest);
      const decision = decisionOf(context, "operator", reason);
      const coordinator = coordinatorOf(context.env, context.var.site.id);
      unwrap(await coordinator.stopSignal(signalOf(context), decision));
      return answerControl(context);
    },
  },
  {
    method: "delete",
    path: "/v1/operator/stopped-signals/{signal}",
    operationId: "startSignal",
    summary: "Trainers learn from a signal again, also from the trajectories that they skipped.",
    access: "operator",
    parameters: [signalName, operatorName],
    responses: { 200: ControlState },
    handle: async (context) => {
      const coordinator = coordinatorOf(context.env, context.var.site.id);
      unwrap(await coordinator.startSignal(signalOf(context), decisionOf(context, "operator")));
      return answerControl(context);
    },
  },
];

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Route = FastifyRequest['routeOptions'];

/** Returns a promise only if it has to wait, and the reply if it has answered the request. */
export type Step = (
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
) => FastifyReply | Promise<unknown> | undefined;
/** Returns the payload to send, or a promise of it if it has to wait. Undefined leaves it unchanged. */
export type SendStep = (request: FastifyRequest, reply: FastifyReply, payload: unknown) => unknown;

type Done = (error?: Error) => void;
type Steps = { onRequest: Step[]; preHandler: Step[]; onSend: SendStep[] };
const stepsOf = new WeakMap<FastifyInstance, Steps>();

/**
 * Adds a step to a phase of all requests. The steps of a phase run in one hook, in the order in which they are added,
 * and without a promise where none of them waits. Separate hooks would cost more than most steps.
 */
export function addStep<Phase extends keyof Steps>(
  app: FastifyInstance,
  phase: Phase,
  step: Steps[Phase][number],
): void {
  const steps = stepsOf.get(app) ?? addHooks(app);
  (steps[phase] as Steps[Phase][number][]).push(step);
}

function addHooks(app: FastifyInstance): Steps {
  const steps: Steps = { onRequest: [], preHandler: [], onSend: [] };
  stepsOf.set(app, steps);
  const runPhase =
    (phase: 'onRequest' | 'preHandler') => (request: FastifyRequest, reply: FastifyReply, done: Done) => {
      const route = request.routeOptions;
      const isOpen = (result: unknown) => result !== reply && !reply.sent;
      runInTurn(steps[phase], (step) => step(request, reply, route), isOpen, done);
    };
  app.addHook('onRequest', runPhase('onRequest'));
  app.addHook('preHandler', runPhase('preHandler'));
  app.addHook('onSend', (request, reply, payload, done) => {
    let current: unknown = payload;
    const take = (result: unknown) => {
      if (result !== undefined) current = result;
      return true;
    };
    runInTurn(
      steps.onSend,
      (step) => step(request, reply, current),
      take,
      (error) => (error ? done(error) : done(null, current)),
    );
  });
  return steps;
}

/** Runs the steps before a response that a handler writes itself. */
export function runSendSteps(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const call = (step: SendStep) => step(request, reply, undefined);
  return new Promise((resolve, reject) => {
    const done: Done = (error) => (error ? reject(error) : resolve());
    runInTurn(stepsOf.get(app)?.onSend ?? [], call, () => true, done);
  });
}

/** Calls `done` after the last step or the first error, but never after a result with which `take` ends the phase. */
function runInTurn<S>(
  steps: readonly S[],
  call: (step: S) => unknown,
  take: (result: unknown) => boolean,
  done: Done,
): void {
  let nth = 0;
  const proceed = (): void => {
    try {
      for (let step = steps[nth]; step !== undefined; step = steps[nth]) {
        nth += 1;
        const result = call(step);
        if (result instanceof Promise) {
          result.then((value) => take(value) && proceed(), done);
          return;
        }
        if (!take(result)) return;
      }
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
  proceed();
}

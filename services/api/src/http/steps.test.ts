import Fastify, { type FastifyInstance } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import { addStep } from './steps.ts';

let app: FastifyInstance;
let ran: string[];
beforeEach(() => {
  app = Fastify();
  ran = [];
  app.get('/', async () => {
    ran.push('handler');
    return { value: 1 };
  });
});

/** Notes its name, at once or after a turn of the event loop. */
const step = (name: string, waits: boolean) => () => {
  if (waits) return Promise.resolve().then(() => void ran.push(name));
  ran.push(name);
  return undefined;
};

test('steps run in the order in which they are added, whether they wait or not', async () => {
  addStep(app, 'preHandler', step('d', true));
  addStep(app, 'onRequest', step('a', false));
  addStep(app, 'onRequest', step('b', true));
  addStep(app, 'onRequest', step('c', false));
  addStep(app, 'preHandler', step('e', false));
  addStep(app, 'onSend', step('f', true));
  addStep(app, 'onSend', step('g', false));
  expect((await app.inject('/')).json()).toEqual({ value: 1 });
  expect(ran).toEqual(['a', 'b', 'c', 'd', 'e', 'handler', 'f', 'g']);
});

test.each([true, false])('nothing runs after a step that answers (waits: %s)', async (waits) => {
  addStep(app, 'onRequest', (_request, reply) => {
    const send = () => reply.code(403).send('no');
    return waits ? Promise.resolve().then(send) : send();
  });
  addStep(app, 'onRequest', step('later', false));
  const answer = await app.inject('/');
  expect([answer.statusCode, answer.body, ran]).toEqual([403, 'no', []]);
});

test.each([true, false])(
  'an error of a step is answered once, and nothing runs after it (waits: %s)',
  async (waits) => {
    addStep(app, 'preHandler', () => {
      if (waits) return Promise.reject(new Error('broken'));
      throw new Error('broken');
    });
    addStep(app, 'preHandler', step('later', false));
    addStep(app, 'onSend', step('sent', false));
    const answer = await app.inject('/');
    expect([answer.statusCode, answer.json().message, ran]).toEqual([500, 'broken', ['sent']]);
  },
);

test('steps before sending change the payload one after the other', async () => {
  addStep(app, 'onSend', (_request, _reply, payload) => `${payload} a`);
  addStep(app, 'onSend', async (_request, _reply, payload) => `${payload} b`);
  addStep(app, 'onSend', () => undefined);
  expect((await app.inject('/')).body).toBe('{"value":1} a b');
});

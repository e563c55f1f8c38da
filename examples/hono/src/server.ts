import { requireUser } from '@gatebook/node/hono';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { cors } from 'hono/cors';

const { GATEBOOK_URL = 'http://localhost:8102', GATEBOOK_PROJECT_ID, PORT = '8787' } = process.env;
if (!GATEBOOK_PROJECT_ID) throw new Error('Set GATEBOOK_PROJECT_ID to the ID of your project.');

const notes = new Map<string, string[]>();

const app = new Hono()
  .use(cors({ origin: 'http://localhost:5173', allowHeaders: ['authorization', 'content-type'] }))
  .get('/', (c) => c.text('This API has /notes for signed-in users.'))
  .use('/notes', requireUser({ baseUrl: GATEBOOK_URL, projectId: GATEBOOK_PROJECT_ID, sessionCheckSeconds: 30 }))
  .get('/notes', (c) => c.json({ email: c.var.user.email, notes: notes.get(c.var.user.id) ?? [] }))
  .post('/notes', async (c) => {
    const { text } = await c.req.json<{ text: string }>();
    notes.set(c.var.user.id, [...(notes.get(c.var.user.id) ?? []), text]);
    return c.json({ text }, 201);
  });

serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`http://localhost:${port}`));

import { z } from 'zod';

export const DroppedEvents = z.object({ inserted: z.literal(0) }).meta({ id: 'DroppedEvents' });

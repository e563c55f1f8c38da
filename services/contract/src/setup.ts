import { z } from 'zod';
import { name, password, secret, signInEmail } from './common.ts';

/** Whether the link is still valid. Checking does not use it up, so email scanners do no harm. */
export const SetupQuery = z.strictObject({ token: secret });
export const SetupView = z.object({ is_valid: z.boolean() }).meta({ id: 'Setup' });
export type SetupView = z.infer<typeof SetupView>;

export const CompleteSetup = z
  .strictObject({ token: secret, email: signInEmail, password, display_name: name.optional() })
  .meta({
    id: 'CompleteSetup',
    description: 'Makes the first owner. The token comes from the link that the first start prints.',
  });
export type CompleteSetup = z.infer<typeof CompleteSetup>;

export const DashboardConfigView = z
  .object({
    api_url: z.string(),
    project_id: z.literal('internal'),
    publishable_client_key: z.string(),
    sign_up: z.enum(['open', 'closed']),
    /** Nobody can sign in until the setup link is used. */
    is_setup_required: z.boolean(),
    /** Whether emails are kept at `/inbox` instead of being sent. */
    has_inbox: z.boolean(),
    version: z.string(),
  })
  .meta({ id: 'DashboardConfig', description: 'What the dashboard has to know before anybody is signed in.' });
export type DashboardConfigView = z.infer<typeof DashboardConfigView>;

import { withUser } from '@gatebook/next';
import { gatebook } from '../../../gatebook';

export const GET = withUser(gatebook, (_request, { user }) => Response.json({ id: user.id, email: user.primaryEmail }));

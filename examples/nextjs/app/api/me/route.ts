import { gatebook } from '../../../gatebook';

export async function GET(): Promise<Response> {
  const user = await gatebook.getUser();
  if (!user) return Response.json({ error: 'Sign in first.' }, { status: 401 });
  return Response.json({ id: user.id, email: user.primaryEmail, name: user.displayName });
}

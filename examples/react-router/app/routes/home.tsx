import { UserButton } from '@gatebook/react/pages';
import { type ActionFunctionArgs, Form, Link, type LoaderFunctionArgs, redirect, useLoaderData } from 'react-router';
import { gatebook } from '../gatebook';

/** The signed-in user of a request. Visitors sign in first, and come back. */
async function requireUser(request: Request) {
  const user = await gatebook.getUser({ tokenStore: request });
  if (user) return user;
  const { pathname, search } = new URL(request.url);
  throw redirect(`/handler/sign-in?${new URLSearchParams({ after_auth_return_to: `${pathname}${search}` })}`);
}

export async function loader({ request }: LoaderFunctionArgs) {
  const { displayName, primaryEmail } = await requireUser(request);
  return { displayName, primaryEmail };
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requireUser(request);
  const form = await request.formData();
  await user.update({ displayName: String(form.get('name')) });
  return null;
}

export default function Home() {
  const { displayName, primaryEmail } = useLoaderData<typeof loader>();
  return (
    <main>
      <UserButton />
      <h1>Hello, {displayName ?? 'stranger'}!</h1>
      <p>Signed in as {primaryEmail}</p>
      <Form method="post">
        <label>
          Name <input name="name" defaultValue={displayName ?? ''} required />
        </label>
        <button type="submit">Save</button>
      </Form>
      <Link to="/handler/account-settings">Account settings</Link> · <Link to="/handler/sign-out">Sign out</Link>
    </main>
  );
}

import { gatebook } from '../../gatebook';

/** Sends visitors to the sign-in page. */
export default async function Protected() {
  const user = await gatebook.getUser({ or: 'redirect' });
  return <p>Only signed-in users see this page. Your user ID is {user.id}.</p>;
}

import { GatebookHandler } from '@gatebook/react/pages';
import { useLocation } from 'react-router';

/** The ready-made pages: sign-up, sign-in, account settings, and the targets of links in emails. */
export default function Handler() {
  useLocation(); // renders the next page after a link
  return <GatebookHandler productName="My app" />;
}

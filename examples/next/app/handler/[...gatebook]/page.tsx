import { GatebookHandler } from '@gatebook/next/handler';

/** The ready-made pages: sign-up, sign-in, account settings, and the targets of links in emails. */
export default function Handler() {
  return <GatebookHandler productName="My app" />;
}

import { GatebookProvider } from '@gatebook/next';
import '@gatebook/react/styles.css';
import type { ReactNode } from 'react';
import { gatebook } from '../gatebook';

export const metadata = { title: 'Gatebook with Next.js' };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <GatebookProvider app={gatebook}>{children}</GatebookProvider>
      </body>
    </html>
  );
}

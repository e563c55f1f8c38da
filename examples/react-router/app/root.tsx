import { GatebookProvider } from '@gatebook/react';
import '@gatebook/react/styles.css';
import type { ReactNode } from 'react';
import { Links, Meta, Outlet, Scripts, ScrollRestoration } from 'react-router';
import { gatebook } from './gatebook';

export const meta = () => [{ title: 'Gatebook with React Router' }];

export function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

export default function App() {
  return (
    <GatebookProvider app={gatebook}>
      <Outlet />
    </GatebookProvider>
  );
}

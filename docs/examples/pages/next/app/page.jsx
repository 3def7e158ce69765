import { Assistant } from "./assistant.jsx";

export default function Page() {
  return <Assistant />;
}

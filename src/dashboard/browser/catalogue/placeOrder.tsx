import { useState } from "preact/hooks";
import type { Pet } from "../../../client/client.ts";
import { notify } from "../announce.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Form, TextField } from "../parts/form.tsx";
import { ErrorMessage } from "../parts/notice.tsx";
import { useAction } from "../useApi.ts";
import { withClient } from "./client.ts";

interface PlaceOrderProps {
  readonly pet: Pet;
  readonly onPlaced: () => void;
  readonly onClose: () => void;
}

export function PlaceOrder({ pet, onPlaced, onClose }: PlaceOrderProps) {
  const [quantity, setQuantity] = useState("1");
  const work = useAction();
  const place = () =>
    work.run(async () => {
      const order = await withClient((client) =>
        client.placeOrder({ petId: pet.id, quantity: Number(quantity) }),
      );
      onPlaced();
      onClose();
      notify(`Order ${order.id} was placed. ${pet.name} is pending.`);
    });
  return (
    <Dialog title={`Order ${pet.name}`} onClose={onClose}>
      <Form onSubmit={() => void place()}>
        <p>{pet.name} is pending from then on, and sold when the order is delivered.</p>
        <TextField
          label="How many"
          value={quantity}
          onText={setQuantity}
          type="number"
          inputMode="numeric"
          required
        />
        <ErrorMessage error={work.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={work.busy}>
            Place order
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}

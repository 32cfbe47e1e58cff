/** The list of orders. */
import { useState } from "preact/hooks";
import type { Order, OrderStatus } from "../../../client/client.ts";
import type { Tone } from "../../../docs/icons.ts";
import { notify } from "../announce.ts";
import { Button } from "../parts/buttons.tsx";
import { FormDialog, openDialog } from "../parts/dialog.tsx";
import { Ago, amount } from "../parts/format.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { Badge, Empty, ErrorMessage } from "../parts/notice.tsx";
import { Table } from "../parts/table.tsx";
import { useAction } from "../useApi.ts";
import { withClient } from "./client.ts";
import { CatalogueList } from "./list.tsx";

const statuses: Readonly<Record<OrderStatus, string>> = {
  placed: "Placed",
  approved: "Approved",
  delivered: "Delivered",
  cancelled: "Cancelled",
};

const tones: Readonly<Record<OrderStatus, Tone>> = {
  placed: "waiting",
  approved: "waiting",
  delivered: "fine",
  cancelled: "neutral",
};

const open: readonly OrderStatus[] = ["placed", "approved"];

export function Orders() {
  return (
    <CatalogueList
      at="orders"
      statuses={statuses}
      load={(query) => withClient((client) => client.listOrders(query))}
      empty={(filtered) => (
        <Empty title={filtered ? "No orders with this status" : "No order yet"}>
          <p>
            Orders are placed for available pets. <a href="#/catalogue">See the pets</a>.
          </p>
        </Empty>
      )}
    >
      {(orders, reload) => <OrderTable orders={orders} onChanged={reload} />}
    </CatalogueList>
  );
}

function OrderTable({ orders, onChanged }: { orders: readonly Order[]; onChanged: () => void }) {
  const work = useAction();
  const [moving, setMoving] = useState<bigint>();
  const move = ({ id, status }: Order) =>
    work.run(async () => {
      setMoving(id);
      const moved = await withClient((client) =>
        status === "placed" ? client.approveOrder(id) : client.deliverOrder(id),
      );
      onChanged();
      notify(`Order ${moved.id} is ${moved.status}.`);
    });
  const moveButton = (order: Order) => {
    const label = order.status === "placed" ? "Approve" : "Deliver";
    return (
      <Button
        busy={work.busy && moving === order.id}
        label={`${label} order ${order.id}`}
        onClick={() => move(order)}
      >
        {label}
      </Button>
    );
  };
  const cancelItem = (order: Order): MenuItem => ({
    label: "Cancel order…",
    run: () => openDialog(<CancelOrder order={order} onCancelled={onChanged} />),
    danger: true,
  });
  return (
    <>
      <ErrorMessage error={work.error} />
      <Table
        caption="Orders"
        rows={orders}
        keyOf={({ id }) => String(id)}
        columns={[
          { head: "Order", number: true, names: true, cell: ({ id }) => String(id) },
          { head: "Pet", number: true, cell: ({ petId }) => String(petId) },
          { head: "How many", number: true, cell: ({ quantity }) => amount(quantity) },
          { head: "Placed", wide: true, cell: ({ placedAt }) => <Ago at={placedAt} /> },
          {
            head: "Status",
            cell: ({ status }) => <Badge tone={tones[status]}>{statuses[status]}</Badge>,
          },
          {
            head: "Next step",
            end: true,
            cell: (order) => open.includes(order.status) && moveButton(order),
          },
          {
            head: "More",
            end: true,
            cell: (order) =>
              open.includes(order.status) && (
                <Menu label={`More for order ${order.id}`} items={[cancelItem(order)]} />
              ),
          },
        ]}
      />
    </>
  );
}

function CancelOrder({ order, onCancelled }: { order: Order; onCancelled: () => void }) {
  const cancel = async () => {
    const { id, petId } = await withClient((client) => client.cancelOrder(order.id));
    onCancelled();
    return `Order ${id} is cancelled. Pet ${petId} is available again.`;
  };
  return (
    <FormDialog
      title={`Cancel order ${order.id}?`}
      submit="Cancel order"
      onSubmit={cancel}
      danger
      keep="Keep order"
    >
      <p>Pet {String(order.petId)} becomes available again. A cancelled order stays cancelled.</p>
    </FormDialog>
  );
}

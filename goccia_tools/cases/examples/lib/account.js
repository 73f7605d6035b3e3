export const sum = (...numbers) => numbers.reduce((total, number) => total + number, 0);

export const mean = (numbers) => {
  if (numbers.length === 0) throw new RangeError("the mean of nothing");
  return sum(...numbers) / numbers.length;
};

export const apply = (values, change) => values.map(change);

export const later = async (value) => value;

export class Account {
  constructor(owner, balance = 0) {
    this.owner = owner;
    this.balance = balance;
  }

  deposit(amount) {
    if (amount <= 0) throw new RangeError("deposits are positive");
    return new Account(this.owner, this.balance + amount);
  }

  toString() {
    return `${this.owner}: ${this.balance}`;
  }
}

export class Counter {
  count = 0;

  add(n) {
    this.count += n;
  }
}

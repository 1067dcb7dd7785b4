//! A Kafka broker of our own.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::programs;

/// One broker on 127.0.0.1 that is its own controller. It ends with this process, however that ends.
pub struct Broker {
    process: Child,
    folder: PathBuf,
    /// Where clients find it.
    pub address: String,
}

const START: Duration = Duration::from_secs(180);

impl Broker {
    /// Starts a broker with a new folder of that name.
    pub fn start(name: &str) -> Self {
        Self::start_behind(name, |_| free_port())
    }

    /// Starts a broker behind a proxy, which is told where the broker will listen and answers its own port: clients who
    /// come through it are sent there again.
    pub fn start_behind(name: &str, proxy: impl FnOnce(String) -> u16) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for the broker");
        let address = |port| format!("127.0.0.1:{port}");
        let [direct, behind_proxy, controller] = [(); 3].map(|()| free_port());
        let proxy = proxy(address(behind_proxy));
        let log = folder.join("log");
        // Records of the tests are older than brokers keep them by default.
        let properties = format!(
            "process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller}
listeners=DIRECT://127.0.0.1:{direct},PROXIED://127.0.0.1:{behind_proxy},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=DIRECT://127.0.0.1:{direct},PROXIED://127.0.0.1:{proxy}
listener.security.protocol.map=DIRECT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=DIRECT
log.dirs={}
default.replication.factor=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
log.cleaner.backoff.ms=200
log.initial.task.delay.ms=0
log.retention.ms=-1
",
            log.display()
        );
        fs::write(folder.join("server.properties"), properties).expect("the folder takes files");
        let mut broker = Self { process: spawn(&folder), folder, address: address(direct) };
        broker.wait_until_up();
        broker
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it was killed");
    }

    /// Starts it again after [`kill`](Self::kill), on the same ports and with what it had.
    pub fn restart(&mut self) {
        self.process = spawn(&self.folder);
        self.wait_until_up();
    }

    /// The files of a partition.
    pub fn partition_folder(&self, topic: &str, partition: i32) -> PathBuf {
        self.folder.join(format!("log/{topic}-{partition}"))
    }

    fn wait_until_up(&mut self) {
        let deadline = Instant::now() + START;
        while TcpStream::connect(&self.address).is_err() {
            let ended = self.process.try_wait().expect("it can be asked");
            let log = self.folder.join("out");
            assert!(ended.is_none(), "the broker ended: see {}", log.display());
            assert!(Instant::now() < deadline, "the broker does not come up: see {}", log.display());
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn spawn(folder: &Path) -> Child {
    let out = File::create(folder.join("out")).expect("the folder takes files");
    programs::BROKER
        .command("Broker")
        .arg(folder.join("server.properties"))
        .stdin(Stdio::piped()) // it ends with this pipe
        .stderr(out.try_clone().expect("it is open"))
        .stdout(out)
        .spawn()
        .expect("java is there")
}

/// A port of 127.0.0.1 that nobody listens on.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
    listener.local_addr().expect("it is bound").port()
}
